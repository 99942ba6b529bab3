"""How a game is named: `gomoku`, `gomoku(size=19,exact=true)`, `./my.gdl(players=3)`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
import re

from gdl_env.errors import OptionError
from gdl_env.language.library import find_game
from gdl_env.language.paths import is_file

# What may stand in the name of a file everywhere, and needs no quoting in a shell.
_UNSAFE = re.compile(r'[^A-Za-z0-9._-]+')


@dataclass(frozen=True)
class Designation:
    """A game by name or path, and the options that are chosen for it, as text."""

    game: str
    options: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Designation:
        """Read a name or path with or without options.

        Raises OptionError where the options are not written as `name=value,name=value`.
        """
        text = text.strip()
        name, opening, inner = text.partition('(')
        if not opening or not text.endswith(')') or is_file(Path(text).expanduser()):
            return cls(text)
        if '(' in inner:
            # Those of a path: options hold none.
            name, _, inner = text.rpartition('(')
        options: dict[str, str] = {}
        for part in inner[:-1].split(','):
            if not part.strip() and inner.strip() == ')':
                continue
            key, equals, value = (piece.strip() for piece in part.partition('='))
            key = key.lower()
            if not equals or not key or not value:
                raise OptionError(
                    f'{text}: {part.strip()!r} is no option; options are written'
                    ' GAME(name=value,name=value)'
                )
            if key in options:
                raise OptionError(f'{text}: the option {key!r} is given twice')
            options[key] = value
        return cls(name.strip(), options)

    def __str__(self) -> str:
        if not self.options:
            return self.game
        return f'{self.game}({",".join(f"{key}={value}" for key, value in self.options.items())})'

    @property
    def stem(self) -> str:
        """Return the name without folder and suffix, with the options."""
        return str(Designation(Path(self.game).stem, self.options))

    @property
    def file_name(self) -> str:
        """Return the name as it may stand in the name of a file or folder."""
        return _UNSAFE.sub('-', self.stem).strip('-')

    def path(self) -> Path:
        """Return the rule file. Raises GameNotFoundError."""
        return find_game(self.game)
