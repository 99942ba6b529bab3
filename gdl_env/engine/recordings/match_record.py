"""Match records of GGP servers: joint moves and states as lists, in JSON, JSON lines or XML.

    {"matchId": "…", "states": ["( (cell 1 1 b) … )", …], "moves": [["(mark 1 1)", "noop"], …],
     "goalValues": [100, 0]}                                            as GGP-Base writes it
    {"id": "…", "rules": "games/x.kif", "states": [["(cell 1 1 b)", …], …], "moves": …,
     "goals": [100, 0]}                                                 a line of a collection

Moves stand in the order of the roles in the rules, so a record is read together with its game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
import json
from pathlib import Path
import re
from typing import Any
from xml.etree.ElementTree import Element, ParseError, fromstring

from gdl_env.engine.contract import Engine, Role, State
from gdl_env.engine.recordings.recording import Ending, RecordedStep, Recording, to_term
from gdl_env.errors import RecordingError
from gdl_env.language.terms import Term
from gdl_env.play.noop import is_noop

_TOKEN = re.compile(r'[()]|[^\s()]+')
# Where the list of moves begins a record differs from a recording in its first bytes.
_BEGINNING = 4096


@dataclass(frozen=True)
class MatchRecord:
    """One match as lists of texts."""

    # The name or path of the rules; '' if the record does not tell.
    game: str
    # None: not recorded.
    states: tuple[tuple[str, ...], ...] | None
    moves: tuple[tuple[str, ...], ...]
    goals: tuple[int, ...] | None
    is_completed: bool
    place: str

    def to_recording(self, engine: Engine) -> Recording:
        """Return the match with its roles. Raises RecordingError where it does not fit them."""
        roles = engine.roles
        states = None if self.states is None else [self._state(facts) for facts in self.states]
        if states is not None and len(states) not in {len(self.moves), len(self.moves) + 1}:
            raise RecordingError(
                f'{self.place}: {len(states)} states do not go with {len(self.moves)} steps'
            )
        initial = states[0] if states else None
        steps: list[RecordedStep] = []
        state: State | None = engine.initial_state
        for number, joint in enumerate(self.moves, 1):
            place = f'{self.place}, step {number}'
            if len(joint) != len(roles):
                raise RecordingError(
                    f'{place}: {len(joint)} moves for {len(roles)} roles:'
                    f' {", ".join(map(str, roles))}'
                )
            moves = {
                role: self._term(text, place) for role, text in zip(roles, joint, strict=True)
            }
            after = states[number] if states is not None and number < len(states) else None
            if state is not None:
                moves = _of_actors(engine, state, moves)
                state = _follow(engine, state, moves)
            steps.append(RecordedStep(moves, after, place=place))
        return Recording(self.game, None, initial, tuple(steps), self._ending(roles))

    def _ending(self, roles: tuple[Role, ...]) -> Ending | None:
        if not self.is_completed:
            return None
        if self.goals is not None and len(self.goals) != len(roles):
            raise RecordingError(f'{self.place}: {len(self.goals)} goals for {len(roles)} roles')
        goals = None if self.goals is None else dict(zip(roles, self.goals, strict=True))
        return Ending(is_terminal=True, goals=goals, place=self.place)

    def _state(self, facts: tuple[str, ...]) -> State:
        return frozenset(self._term(fact, self.place) for fact in facts)

    def _term(self, text: str, place: str) -> Term:
        try:
            return to_term(text.lower())
        except ValueError as error:
            raise RecordingError(f'{place}: {error}') from error


def is_match_record(path: Path) -> bool:
    """Tell whether a file holds match records of a GGP server, and no recording of ours."""
    try:
        with path.open('rb') as file:
            head = file.read(_BEGINNING).lstrip()
    except OSError:
        return False
    if head.startswith(b'<'):
        return True
    first = head.split(b'\n')[0]
    return head.startswith(b'{') and b'"type"' not in first


def read_match_records(path: Path) -> Iterator[MatchRecord]:
    """Yield the records of a file. Raises RecordingError if it cannot be read."""
    try:
        text = path.read_text('utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f'{path}: {error}') from error
    if text.lstrip().startswith('<'):
        yield _read_xml(text, path)
        return
    try:
        values = [(str(path), json.loads(text))]
    except ValueError:
        values = [
            (f'{path}:{number}', _read_line(line, path, number))
            for number, line in enumerate(text.splitlines(), 1)
            if line.strip()
        ]
    except RecursionError as error:
        raise RecordingError(f'{path}: this is nested too deeply') from error
    for place, value in values:
        yield _read_object(value, place, path)


def _read_line(line: str, path: Path, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise RecordingError(f'{path}:{number}: this is not JSON: {error}') from error


def _read_object(value: Any, place: str, path: Path) -> MatchRecord:
    if not isinstance(value, dict) or not isinstance(value.get('moves'), list):
        raise RecordingError(f"{place}: a match record is an object with a list 'moves'")
    goals = value.get('goalValues', value.get('goals'))
    states = value.get('states')
    completed = value.get('isCompleted', value.get('completed', goals is not None))
    return MatchRecord(
        game=_find_game(value, path),
        states=None
        if states is None
        else tuple(_read_state(s, place) for s in _list(states, place, 'states')),
        moves=tuple(_texts(joint, place, 'moves') for joint in value['moves']),
        goals=None if goals is None else _read_goals(goals, place),
        is_completed=completed is True,
        place=place,
    )


def _find_game(value: dict[str, Any], path: Path) -> str:
    """Return the rule file that a collection names, if it is there, or the name of a game."""
    rules = value.get('rules')
    if isinstance(rules, str):
        for folder in path.resolve().parents[:2]:
            if (folder / rules).is_file():
                return str(folder / rules)
    name = value.get('gameName', '')
    return name if isinstance(name, str) else ''


def _read_state(value: Any, place: str) -> tuple[str, ...]:
    """Return the facts of a state: a list of them, or one text in parentheses."""
    if isinstance(value, str):
        return tuple(_strip_true(fact) for fact in _split(value, place))
    return _texts(value, place, 'states')


def _split(text: str, place: str) -> list[str]:
    """Return the terms inside one pair of parentheses."""
    depth, found, words = 0, [], _TOKEN.findall(text)
    item: list[str] = []
    if len(words) < 2 or words[0] != '(' or words[-1] != ')':
        raise RecordingError(f'{place}: a state is a list in parentheses, not {text[:60]!r}')
    for word in words[1:-1]:
        depth += (word == '(') - (word == ')')
        item.append(word)
        if depth == 0:
            found.append(' '.join(item))
            item = []
    if depth or item:
        raise RecordingError(f'{place}: the parentheses are not balanced in {text[:60]!r}')
    return found


def _strip_true(fact: str) -> str:
    """Return a fact without the `true` that some servers write around it."""
    words = fact.split(' ')
    return ' '.join(words[2:-1]) if words[:2] == ['(', 'true'] else fact


def _read_goals(value: Any, place: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(goal) is int for goal in value):
        raise RecordingError(f"{place}: 'goals' should be a list of numbers")
    return tuple(value)


def _list(value: Any, place: str, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise RecordingError(f"{place}: '{name}' should be a list")
    return value


def _texts(value: Any, place: str, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RecordingError(f"{place}: '{name}' should hold lists of terms")
    return tuple(value)


def _read_xml(text: str, path: Path) -> MatchRecord:
    try:
        root = fromstring(text)
    except ParseError as error:
        raise RecordingError(f'{path}: this is not XML: {error}') from error
    if root.tag != 'match' or root.find('history') is None:
        raise RecordingError(f'{path}: a match record has the root <match> and a <history> in it')
    place = str(path)
    goals = [goal.text or '' for goal in root.findall('goalValues')]
    if not all(goal.strip().isdecimal() for goal in goals):
        raise RecordingError(f'{place}: <goalValues> should be a number')
    states = root.find('herstory')
    return MatchRecord(
        game=root.findtext('gameName', ''),
        states=None
        if states is None
        else tuple(
            tuple(map(_xml_term, state.findall('fact'))) for state in states.findall('state')
        ),
        moves=tuple(
            tuple(map(_xml_term, move.findall('action'))) for move in root.findall('history/move')
        ),
        goals=tuple(map(int, goals)) or None,
        is_completed=root.findtext('isCompleted', 'false') == 'true',
        place=place,
    )


def _xml_term(element: Element) -> str:
    """Return a term: an atom as text, or a relation and its arguments."""
    name = element.findtext('relation')
    if name is None:
        return (element.text or '').strip()
    arguments = ' '.join(map(_xml_term, element.findall('argument')))
    return f'({name.strip()} {arguments})' if arguments else name.strip()


def _of_actors(engine: Engine, state: State, moves: dict[Role, Term]) -> dict[Role, Term]:
    """Return the moves of those who act; `noop` is recorded for all others."""
    acting = set(engine.actors(state))
    return {role: move for role, move in moves.items() if role in acting or not is_noop(move)}


def _follow(engine: Engine, state: State, moves: dict[Role, Term]) -> State | None:
    """Return the next state; None if the moves are not legal, which a replay finds."""
    legal = engine.legal_moves(state)
    if engine.is_terminal(state) or any(move not in legal[role] for role, move in moves.items()):
        return None
    return engine.next_state(state, moves)
