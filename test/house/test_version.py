"""Check that there is one version."""

from importlib import metadata
from pathlib import Path
import re
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[2]


def _version(package_xml: Path) -> str | None:
    return ElementTree.parse(package_xml).getroot().findtext('version')


def test_installed_version_is_that_of_package_xml() -> None:
    assert metadata.version('gdl_env') == _version(ROOT / 'package.xml')


def test_messages_have_the_same_version() -> None:
    assert _version(ROOT / 'msg' / 'package.xml') == _version(ROOT / 'package.xml')


def test_version_is_written_nowhere_else() -> None:
    version = _version(ROOT / 'package.xml')
    assert version is not None
    pattern = re.compile(rf'(?<![\d.=]){re.escape(version)}(?![\d.])')
    for name in ('CMakeLists.txt', 'setup.py', 'setup.cfg', 'pyproject.toml', 'README.md'):
        assert not pattern.search((ROOT / name).read_text()), name


@pytest.mark.parametrize('folder', [ROOT, ROOT / 'msg'], ids=['gdl_env', 'gdl_msgs'])
def test_changelog_has_a_dated_section_for_the_version(folder: Path) -> None:
    version = _version(folder / 'package.xml')
    text = (folder / 'CHANGELOG.rst').read_text('utf-8')
    newest = re.search(r'^(.+)\n-+$', text, re.MULTILINE)
    assert newest is not None
    # Between releases the newest section has no version yet.
    assert re.fullmatch(rf'Forthcoming|{version} \(\d{{4}}-\d\d-\d\d\)', newest[1])
    assert re.search(rf'^{version} \(', text, re.MULTILINE)


@pytest.mark.parametrize('folder', [ROOT, ROOT / 'msg'], ids=['gdl_env', 'gdl_msgs'])
def test_manifest_is_complete(folder: Path) -> None:
    manifest = ElementTree.parse(folder / 'package.xml').getroot()
    for tag in ('name', 'description', 'maintainer', 'author', 'license'):
        assert (manifest.findtext(tag) or '').strip(), tag
    kinds = {url.get('type') for url in manifest.findall('url')}
    assert kinds == {'website', 'repository', 'bugtracker'}
    groups = {group.text for group in manifest.findall('member_of_group')}
    assert groups == {'rosidl_interface_packages'}


def test_the_root_builds_with_what_the_messages_depend_on() -> None:
    root, messages = (
        {entry.text for entry in ElementTree.parse(path).getroot().findall('depend')}
        for path in (ROOT / 'package.xml', ROOT / 'msg' / 'package.xml')
    )
    assert messages <= root


def test_changelog_of_the_messages_names_them_all() -> None:
    text = (ROOT / 'msg' / 'CHANGELOG.rst').read_text('utf-8')
    interfaces = {
        path.stem for kind in ('msg', 'srv', 'action') for path in (ROOT / 'msg' / kind).iterdir()
    }
    assert {*re.findall(r'``([A-Z]\w+)``', text)} == interfaces
