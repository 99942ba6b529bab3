"""Code that files of options name is run if the user has run it before, or says that he trusts it.

A file of options, or the folder of a run, may come from others, and its `reward: file.py:name` is
a program. So code is remembered in the cache of the user, outside of what can be passed on, when a
run is started: the file of options, the text, the working folder of a command, and path and digest
of every Python file that the text names, or that such a file imports from beside it. Whatever
differs later needs `--trust`.
"""

from __future__ import annotations

from dataclasses import dataclass
import hashlib
import json
from pathlib import Path
import re

from gdl_agents.learning.errors import ConfigError
from gdl_agents.learning.training.config import TrainingConfig
from gdl_env.code_names import names_foreign_code, starts_program
from gdl_env.engine.cache import read_entry, write_entry
from gdl_env.local_imports import find_local_imports

_HOOKS = ('reward', 'turn', 'network', 'mapping')
_FILE = re.compile(r'[^\s,;=:]+\.py\b')


class TrustError(ConfigError):
    """A file names code that the user has not run before."""


@dataclass(frozen=True)
class NamedCode:
    """Code that an option names."""

    option: str
    text: str

    @property
    def is_in_file(self) -> bool:
        """Tell whether it is `file.py:name`, and nothing else."""
        return self.option in _HOOKS and self.text.rpartition(':')[0].endswith('.py')

    @property
    def files(self) -> dict[str, str]:
        """Return the Python files that are named, in full, each with a digest of its text.

        So are the files beside them that they import: whoever changes those changes what is run.
        """
        found = {}
        for name in _FILE.findall(self.text):
            path = Path(name).expanduser().resolve()
            for file in [path, *find_local_imports(path)] if path.is_file() else []:
                found[str(file)] = hashlib.sha256(file.read_bytes()).hexdigest()
        return found


def find_code(config: TrainingConfig) -> list[NamedCode]:
    """Return the code and programs that options name, but for code of this project."""
    hooks = [NamedCode(name, getattr(config, name)) for name in _HOOKS]
    mode, _, fixed = config.mode.partition(':')
    agents = [NamedCode('strangers', name) for name in config.strangers.split()]
    agents.append(NamedCode('judge', config.judge))
    if mode == 'fixed':
        agents.append(NamedCode('mode', fixed))
    return [
        *(code for code in hooks if names_foreign_code(code.text) and not _is_network(code)),
        *(code for code in agents if starts_program(code.text)),
    ]


def remember_code(file: Path, config: TrainingConfig) -> None:
    """Remember that the user runs what the options in a file name."""
    for code in find_code(config):
        write_entry(_entry(file, code), json.dumps([str(file), code.option, code.text]).encode())


def check_code(
    file: Path, config: TrainingConfig, *, is_trusted: bool, remedy: str = '--trust'
) -> None:
    """Raise TrustError if a file names code that was not run before; remember it if trusted."""
    if is_trusted:
        remember_code(file, config)
        return
    for code in find_code(config):
        if code.is_in_file and not code.files:
            # There is no such file: whoever loads it says so.
            continue
        if read_entry(_entry(file, code)) is None:
            named = ', '.join(code.files)
            raise TrustError(
                f'{file}: {code.option} names code that you have not run with this file before, or'
                f' that has changed: {code.text!r}{f" ({named})" if named else ""}; read it, and'
                f' allow it with {remedy}'
            )


def _entry(file: Path, code: NamedCode) -> str:
    """Return the name of what is remembered: another one as soon as other code could be run."""
    files = code.files
    # A command, or a module, may be found from the working folder.
    folder = '' if code.is_in_file else str(Path.cwd())
    key = [str(file.resolve()), code.option, code.text, folder, files]
    digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode())
    return f'{digest.hexdigest()[:40]}.trust'


def _is_network(code: NamedCode) -> bool:
    """Tell whether a network is data: a file that `open_network` reads."""
    is_file = code.text.endswith(('.yaml', '.yml')) or Path(code.text).is_file()
    return code.option == 'network' and is_file
