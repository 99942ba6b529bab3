"""Sentences for people, in their language: one file for each, `locale/en.yaml` and so on.

`text('result.won')` returns a sentence in the language of the reader, `text('result.winners',
names='x')` fills in names. Which language that is, the pages say once, by `find_language_with`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import yaml

from gdl_env.gui.errors import GuiError
from gdl_env.play.outcome import LOST, WON, outcome_of

FOLDER = Path(__file__).parent / 'locale'
# Complete by definition; the others are tested to have the same keys.
FALLBACK = 'en'


def _no_reader() -> str:
    return FALLBACK


_find_language: Callable[[], str] = _no_reader


def find_language_with(find: Callable[[], str]) -> None:
    """Say how the language of the reader is found; it is called for every text."""
    global _find_language
    _find_language = find


@cache
def languages() -> dict[str, str]:
    """Return the languages there are, and what each calls itself."""
    found = sorted(FOLDER.glob('*.yaml'), key=lambda path: (path.stem != FALLBACK, path.stem))
    return {path.stem: load_texts(path.stem)['language.name'] for path in found}


@cache
def load_texts(language: str) -> Mapping[str, str]:
    """Return all texts of a language, by section and key: 'result.won'."""
    sections = yaml.safe_load((FOLDER / f'{language}.yaml').read_text('utf-8'))
    return {
        f'{section}.{key}': str(value)
        for section, entries in sections.items()
        for key, value in entries.items()
    }


def text(key: str, /, **values: object) -> str:
    """Return a text for the reader. Raises GuiError if the key or a value is missing."""
    texts = load_texts(_find_language())
    try:
        return texts.get(key, load_texts(FALLBACK)[key]).format(**values)
    except KeyError as error:
        raise GuiError(f'no text or value {error} for {key!r}') from error


class TextError(GuiError):
    """A refusal in the language of whoever reads it: the text is looked up when it is shown."""

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key)
        self.key = key
        self._values = values

    def __str__(self) -> str:
        return text(self.key, **self._values)


def section(name: str) -> dict[str, str]:
    """Return the texts of one section in the language of the reader, for scripts on a page."""
    start = f'{name}.'
    found = {**load_texts(FALLBACK), **load_texts(_find_language())}
    return {key.removeprefix(start): text for key, text in found.items() if key.startswith(start)}


def choose_language(accepted: str) -> str:
    """Return the language that a browser likes best, by its header Accept-Language."""
    wanted = []
    for part in accepted.split(','):
        name, _, quality = part.partition(';')
        try:
            weight = float(quality.strip().removeprefix('q=')) if quality else 1.0
        except ValueError:
            weight = 0.0
        wanted.append((-weight, name.strip().lower().partition('-')[0]))
    known = languages()
    # Sorting is stable: of equals the first is liked best.
    ranked = sorted(wanted, key=lambda one: one[0])
    return next((name for _, name in ranked if name in known), FALLBACK)


def describe_result(goals: Mapping[str, int], role: str = '') -> str:
    """Return how a game ended: for a role, or for a spectator; '' if nothing is known."""
    if not goals:
        return ''
    return f'{describe_outcome(goals, role)} ({describe_goals(goals, role)})'


def describe_goals(goals: Mapping[str, int], role: str = '') -> str:
    """Return all goals in words."""
    shown = ', '.join(f'{name} {goal}' for name, goal in goals.items())
    return text('result.goals' if role in goals or len(goals) > 1 else 'result.goal', goals=shown)


def describe_outcome(goals: Mapping[str, int], role: str = '') -> str:
    """Return who won: for a role, or for a spectator."""
    if role in goals:
        if len(goals) == 1:
            key = {100: 'result.won', 0: 'result.lost'}.get(goals[role], 'result.over')
        else:
            outcomes = {WON: 'result.won', LOST: 'result.lost'}
            key = outcomes.get(_outcome(goals, role), 'result.draw')
        return text(key)
    if len(goals) == 1:
        return text('result.over')
    winners = winners_of(goals)
    return text('result.winners', names=list_names(winners)) if winners else text('result.draw')


def winners_of(goals: Mapping[str, int]) -> list[str]:
    """Return the roles that have won."""
    return [name for name in goals if _outcome(goals, name) == WON]


def list_names(names: list[str]) -> str:
    """Return names as people list them: a, b and c."""
    *most, last = names
    return text('result.list', most=', '.join(most), last=last) if most else last


def name_outcome(goals: Mapping[str, int], role: str, zero: int | None = None) -> str:
    """Return what a result is for a role: 'won', 'lost' or 'draw'; '' if that makes no sense.

    `zero` is the goal of who has won or lost nothing, where the game has one.
    """
    if role not in goals:
        return ''
    if len(goals) == 1 and zero is not None:
        return 'won' if goals[role] > zero else 'lost' if goals[role] < zero else 'draw'
    if len(goals) == 1:
        return {100: 'won', 0: 'lost'}.get(goals[role], '')
    return {WON: 'won', LOST: 'lost'}.get(_outcome(goals, role), 'draw')


def _outcome(goals: Mapping[str, int], role: str) -> int:
    return outcome_of(goals[role], (goal for name, goal in goals.items() if name != role))
