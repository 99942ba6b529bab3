"""Match records as GGP-Base keeps them, in JSON and in XML."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from gdl_agents.ggp.manager import Manager, MatchClocks
from gdl_env.errors import RecordingError
from gdl_env.language.terms import Term, args_of, name_of
from gdl_env.play.noop import NOOP_MOVE

# GGP-Base has no preview of a match then.
_NO_PREVIEW = -1


def to_record(manager: Manager, clocks: MatchClocks, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a match as GGP-Base writes it: states, joint moves, goals, errors by step.

    Name and roles of the game are added: GGP-Base names games by their address only.
    """
    return {
        **_describe(manager, clocks, names),
        'states': [f'( {" ".join(sorted(map(str, state)))} )' for state in _list_states(manager)],
        'moves': [[str(move) for move in joint] for joint in _list_moves(manager)],
        'errors': _list_errors(manager),
    }


def write_json(
    path: Path, manager: Manager, clocks: MatchClocks, names: Mapping[str, str]
) -> None:
    """Write a match record. Raises RecordingError if the file cannot be written."""
    _write(path, json.dumps(to_record(manager, clocks, names), indent=1) + '\n')


def write_xml(path: Path, manager: Manager, clocks: MatchClocks, names: Mapping[str, str]) -> None:
    """Write a match record as XML. Raises RecordingError if the file cannot be written."""
    root = Element('match')
    for key, value in _describe(manager, clocks, names).items():
        for item in value if isinstance(value, list) else [value]:
            SubElement(root, key).text = json.dumps(item) if isinstance(item, bool) else str(item)
    states = SubElement(root, 'herstory')
    for state in _list_states(manager):
        parent = SubElement(states, 'state')
        for fact in sorted(state, key=str):
            _add_term(SubElement(parent, 'fact'), fact)
    moves = SubElement(root, 'history')
    for joint in _list_moves(manager):
        parent = SubElement(moves, 'move')
        for move in joint:
            _add_term(SubElement(parent, 'action'), move)
    errors = SubElement(root, 'errorHistory')
    for step in _list_errors(manager):
        parent = SubElement(errors, 'errors')
        for error in step:
            SubElement(parent, 'error').text = error
    indent(root, ' ')
    _write(path, tostring(root, 'unicode') + '\n')


def _describe(
    manager: Manager, clocks: MatchClocks, names: Mapping[str, str]
) -> dict[str, str | float | list[Any]]:
    """Return everything but states, moves and errors."""
    match = manager.match
    roles = match.engine.roles
    goals = match.goals()
    times = [round(1000 * seconds) for seconds in manager.times]
    return {
        'matchId': manager.name,
        'randomToken': '',
        'startTime': times[0] if times else 0,
        'gameMetaURL': '',
        'gameName': match.engine.game.name,
        'gameRoleNames': [str(role) for role in roles],
        'playerNamesFromHost': [names.get(str(role), '') for role in roles],
        'previewClock': _NO_PREVIEW,
        'startClock': _write_clock(clocks.start),
        'playClock': _write_clock(clocks.play),
        'isCompleted': match.is_terminal,
        'isAborted': not match.is_terminal,
        'stateTimes': times,
        **({'goalValues': [goals.get(role) for role in roles]} if match.is_terminal else {}),
    }


def _list_states(manager: Manager) -> list[frozenset[Term]]:
    match = manager.match
    return [match.engine.initial_state, *(step.state for step in match.history)]


def _list_moves(manager: Manager) -> list[list[Term]]:
    match = manager.match
    return [
        [step.played.get(role, NOOP_MOVE) for role in match.engine.roles] for step in match.history
    ]


def _list_errors(manager: Manager) -> list[list[str]]:
    """Return an error or '' for each role in each step."""
    roles = [str(role) for role in manager.match.engine.roles]
    errors = [['' for _ in roles] for _ in manager.match.history]
    for strike in manager.strikes:
        if 0 < strike.step <= len(errors):
            errors[strike.step - 1][roles.index(strike.role)] = strike.reason
    return errors


def _write_clock(seconds: float) -> float:
    """Return whole seconds as an integer: GGP-Base reads nothing else."""
    return int(seconds) if seconds == int(seconds) else seconds


def _add_term(parent: Element, term: Term) -> None:
    if not args_of(term):
        parent.text = str(term)
        return
    SubElement(parent, 'relation').text = name_of(term)
    for argument in args_of(term):
        _add_term(SubElement(parent, 'argument'), argument)


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, 'utf-8')
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror or error}') from error
