"""A game as it was watched or played, as a recording, as text and as PGN."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from pathlib import Path
import re

from gdl_env.engine.recordings.recording import Ending, RecordedStep, Recording, to_lines
from gdl_env.gui.frames import Frame
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.study.history import HistoryEntry
from gdl_env.gui.study.replays import Replay, ReplayStep
from gdl_env.gui.texts import TextError
from gdl_env.language.game import Role, is_role_name
from gdl_env.language.reader import read_term

# Below the folder of the server.
RECORDINGS = 'recordings'


def list_frames(link: MatchLink, entries: list[HistoryEntry]) -> list[Frame]:
    """Return the positions of a game, without what was taken back. Raises GuiError."""
    if link.info is None:
        raise TextError('trouble.no_game')
    kept = [entry for entry in entries if not entry.is_undone]
    frames = [link.frames.get(entry.number, link.info) for entry in kept]
    found = [frame for frame in frames if frame is not None]
    if len(found) < 2 or len(found) != len(frames) or has_gaps(entries):
        raise TextError('trouble.gaps')
    if not link.is_open and not all(frame.is_all for frame in found):
        raise TextError('trouble.hides')
    return found


def has_gaps(entries: list[HistoryEntry]) -> bool:
    """Tell whether positions are missing: a very fast match shows only some of them."""
    return any(
        after.tick > before.tick + 1 and not before.is_undone
        for before, after in pairwise(entries)
    )


def make_recording(link: MatchLink, entries: list[HistoryEntry]) -> Recording:
    """Return the game as a recording. Raises GuiError if not all of it was seen."""
    steps = tuple(ReplayStep(f.facts, f.moves, f.goals) for f in list_frames(link, entries))
    assert link.info is not None
    replay = Replay(link.info.name, tuple(link.info.roles), steps)
    return _record(replay, link.game.hash if link.game else '')


def save_recording(
    link: MatchLink, entries: list[HistoryEntry], folder: Path, below: str = RECORDINGS
) -> Path:
    """Write a game below a folder, and return where. Raises GuiError or OSError."""
    return _write(make_recording(link, entries), folder / below)


def save_replay(game: Replay, folder: Path) -> Path:
    """Write a game that a page has gone through, and return where. Raises GuiError or OSError."""
    return _write(_record(game), folder / RECORDINGS)


def _record(game: Replay, rules_hash: str = '') -> Recording:
    first, *others = game.steps
    steps = tuple(
        RecordedStep(
            {_role(name): read_term(move) for name, move in step.moves.items()},
            frozenset(map(read_term, step.facts)),
        )
        for step in others
    )
    goals = game.steps[-1].goals
    ending = Ending(True, {_role(name): goal for name, goal in goals.items()}) if goals else None
    initial = frozenset(map(read_term, first.facts))
    roles = tuple(_role(name) for name in game.roles)
    return Recording(game.game, roles, initial, steps, ending, rules_hash)


def _write(recording: Recording, place: Path) -> Path:
    name = re.sub(r'[^a-z0-9]+', '_', recording.game.lower()).strip('_')
    place.mkdir(parents=True, exist_ok=True)
    path = place / f'{name}_{datetime.now():%Y%m%d_%H%M%S}.jsonl'
    with path.open('x', encoding='utf-8') as file:
        file.writelines(f'{line}\n' for line in to_lines(recording))
    return path


def to_text(entries: list[HistoryEntry]) -> str:
    """Return the moves as text, one numbered line each."""
    kept = [entry for entry in entries if not entry.is_undone][1:]
    lines = (
        f'{number}. ' + ', '.join(f'{role} {words}'.strip() for role, words in entry.words)
        for number, entry in enumerate(kept, start=1)
    )
    return '\n'.join(lines)


def _role(name: str) -> Role:
    role = read_term(name)
    if not is_role_name(role):
        raise TextError('trouble.no_such_role', role=name)
    return role
