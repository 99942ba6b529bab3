"""Check that there is one version."""

from importlib import metadata
from pathlib import Path
import re
from xml.etree import ElementTree

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
