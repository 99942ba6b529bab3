"""A generated game as a list of rules, so that parts of it can be left out."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RuleText:
    """A rule or fact as texts: the head and its conditions."""

    head: str
    body: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.body:
            return self.head
        return '\n    '.join((f'(<= {self.head}', *self.body)) + ')'


@dataclass(frozen=True)
class GeneratedGame:
    """A game made from a seed."""

    seed: int
    rules: tuple[RuleText, ...]

    @property
    def text(self) -> str:
        """Return the rule file."""
        return ''.join(f'{rule}\n' for rule in self.rules)
