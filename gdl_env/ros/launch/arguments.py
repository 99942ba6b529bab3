"""Arguments of a launch, written `name:=value`: what they mean, and what is wrong with a value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
import difflib
from enum import Enum
import math

from gdl_env.errors import GdlError

Value = str | int | float | bool

TRUE, FALSE = ('true', '1', 'yes', 'on'), ('false', '0', 'no', 'off')


class LaunchError(GdlError):
    """A launch cannot be started as it was asked for."""


class ArgumentKind(Enum):
    """What a value is read as."""

    TEXT = 'text'
    WHOLE = 'a whole number'
    NUMBER = 'a number'
    FLAG = 'true or false'


@dataclass(frozen=True)
class Argument:
    """One argument of a launch."""

    name: str
    # A sentence or two for `--show-args`, with unit and range.
    description: str
    default: str = ''
    # The values there are. Empty: any.
    choices: tuple[str, ...] = ()
    kind: ArgumentKind = ArgumentKind.TEXT
    minimum: float = -math.inf
    maximum: float = math.inf

    def read(self, text: str) -> Value:
        """Return the value a text stands for. Raises LaunchError with what would be right."""
        value = self._convert(text.strip())
        if self.choices and value not in self.choices:
            raise LaunchError(f'{self.name}:={text} is unknown{suggest(text, self.choices)}')
        is_number = self.kind in (ArgumentKind.WHOLE, ArgumentKind.NUMBER)
        if is_number and not self.minimum <= float(value) <= self.maximum:
            raise LaunchError(
                f'{self.name}:={text} is out of range; {self.kind.value}, '
                f'{self.minimum:.10g} to {self.maximum:.10g}'
            )
        return value

    def _convert(self, text: str) -> Value:
        try:
            if self.kind is ArgumentKind.WHOLE:
                return int(text)
            if self.kind is ArgumentKind.NUMBER:
                number = float(text)
                if not math.isfinite(number):
                    raise ValueError(text)
                return number
        except ValueError:
            raise LaunchError(f'{self.name}:={text} must be {self.kind.value}') from None
        if self.kind is ArgumentKind.FLAG:
            if text.lower() not in TRUE + FALSE:
                raise LaunchError(f'{self.name}:={text} must be {self.kind.value}')
            return text.lower() in TRUE
        return text


def parse_pairs(words: Iterable[str]) -> dict[str, str]:
    """Return `name:=value` words as a mapping. Raises LaunchError for other words."""
    pairs: dict[str, str] = {}
    for word in words:
        name, separator, value = word.partition(':=')
        if not separator or not name:
            raise LaunchError(f'expected name:=value, such as game:=tictactoe, got {word!r}')
        if name in pairs:
            raise LaunchError(f'{name} is given twice')
        pairs[name] = value
    return pairs


def read_values(arguments: Sequence[Argument], given: Mapping[str, str]) -> dict[str, Value]:
    """Return the value of every argument, from what is given and the defaults."""
    return {a.name: a.read(given.get(a.name, a.default)) for a in arguments}


def suggest(wanted: str, known: Iterable[str]) -> str:
    """Return the end of a sentence: what was probably meant, and all there is."""
    names = list(known)
    similar = difflib.get_close_matches(wanted.lower(), names, n=1)
    meant = f'; did you mean {similar[0]}?' if similar else ''
    return f'{meant} (there are: {", ".join(names) or "none"})'
