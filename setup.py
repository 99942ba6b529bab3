"""The pip way in; the colcon way in is CMakeLists.txt.

What is constant is in setup.cfg. Here is what must be computed: the version, the files ROS 2 tools
look for, and the messages, which are built where ROS 2 is found (sourced, or installed from PyPI
into the environment) and left out where it is not.
"""

import os
from pathlib import Path
import shutil
import sys
from xml.etree import ElementTree

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / 'tools'))

from gdl_build import messages, share  # noqa: E402

BUILD = ROOT / 'build'

# auto: build the messages if ROS 2 is found; require: fail if it is not; skip: never build them.
POLICY = os.environ.get('GDL_ENV_MESSAGES', 'auto')


def wants_messages() -> bool:
    """Whether this build includes the messages."""
    if POLICY == 'skip':
        return False
    try:
        messages.find_toolchain()
    except messages.MessagesUnavailableError as error:
        if POLICY == 'require':
            raise SystemExit(f'gdl_env: {error}') from error
        print(f'gdl_env: installing without gdl_msgs: {error}', file=sys.stderr)
        return False
    return True


class MaybeBinaryDistribution(Distribution):
    """Tag the wheel for this machine if it holds compiled messages."""

    def has_ext_modules(self) -> bool:
        """Whether the wheel holds compiled code."""
        return wants_messages()


class BuildWithMessages(build_py):
    """Build the Python packages, then the messages beside them."""

    def run(self) -> None:
        """Build; an editable install is completed by ./gdl instead (see tools/gdl_build)."""
        if not self.editable_mode:
            # Left-overs of an earlier build, e.g. of removed modules, would be installed too.
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()
        if self.editable_mode:
            return
        data_files = self.distribution.data_files
        data_files += share.data_files(ROOT, BUILD)
        if wants_messages():
            stage = BUILD / 'stage'
            shutil.rmtree(stage, ignore_errors=True)
            messages.build(ROOT / 'msg', BUILD / 'gdl_msgs', stage, messages.find_toolchain())
            python = stage / messages.python_folder()
            for package in python.glob('*_msgs'):
                target = Path(self.build_lib, package.name)
                shutil.copytree(package, target, dirs_exist_ok=True)
            shutil.rmtree(python)
            for path in sorted(stage.rglob('*')):
                if path.is_file():
                    data_files.append((str(path.parent.relative_to(stage)), [str(path)]))


setup(
    version=ElementTree.parse(ROOT / 'package.xml').getroot().findtext('version'),
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    data_files=[],
    cmdclass={'build_py': BuildWithMessages},
    distclass=MaybeBinaryDistribution,
)
