"""Match records as GGP-Base keeps them, in JSON."""

from __future__ import annotations

from collections.abc import Mapping
import json
from pathlib import Path
from typing import Any

from gdl_agents.ggp.manager import Manager, MatchClocks
from gdl_env.engine.contract import State
from gdl_env.errors import RecordingError
from gdl_env.play.noop import NOOP_MOVE


def to_record(manager: Manager, clocks: MatchClocks, names: Mapping[str, str]) -> dict[str, Any]:
    """Return a match as GGP-Base writes it: states, joint moves, goals, errors by step."""
    match = manager.match
    roles = match.engine.roles
    states = [match.engine.initial_state, *(step.state for step in match.history)]
    errors = [['' for _ in roles] for _ in match.history]
    for strike in manager.strikes:
        if 0 < strike.step <= len(errors):
            errors[strike.step - 1][[str(r) for r in roles].index(strike.role)] = strike.reason
    goals = match.goals()
    return {
        'matchId': manager.name,
        'gameName': match.engine.game.name,
        'gameRoleNames': [str(role) for role in roles],
        'playerNamesFromHost': [names.get(str(role), '') for role in roles],
        'startClock': clocks.start,
        'playClock': clocks.play,
        'isCompleted': match.is_terminal,
        'states': [_write_state(state) for state in states],
        'moves': [
            [str(step.played.get(role, NOOP_MOVE)) for role in roles] for step in match.history
        ],
        'errors': errors,
        **({'goalValues': [goals.get(role) for role in roles]} if match.is_terminal else {}),
    }


def write_json(
    path: Path, manager: Manager, clocks: MatchClocks, names: Mapping[str, str]
) -> None:
    """Write a match record. Raises RecordingError if the file cannot be written."""
    try:
        path.write_text(json.dumps(to_record(manager, clocks, names), indent=1) + '\n')
    except OSError as error:
        raise RecordingError(f'{path}: {error.strerror or error}') from error


def _write_state(state: State) -> str:
    return f'( {" ".join(f"(true {fact})" for fact in sorted(map(str, state)))} )'
