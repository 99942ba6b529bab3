"""Recorded matches, to be looked at step by step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import Recording
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.domain import SEES
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import Scene
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.texts import TextError
from gdl_env.gui.views import find_view
from gdl_env.language.game import Information
from gdl_env.language.load import open_game
from gdl_env.language.terms import Symbol
from gdl_env.play.noop import NOOP_MOVE

# Matches of one file that are read; more would not be looked through by hand.
MOST = 200
NATURE = Symbol('random')


@dataclass(frozen=True)
class ReplayStep:
    """One position: its facts, the moves that led there, the goals at the end."""

    facts: tuple[str, ...]
    moves: dict[str, str]
    goals: dict[str, int]


@dataclass(frozen=True)
class Replay:
    """One recorded match."""

    game: str
    roles: tuple[str, ...]
    steps: tuple[ReplayStep, ...]
    note: str = ''


def load_replays(path: Path) -> list[Replay]:
    """Read a recording (JSON lines) or a bag. Raises GdlError if that is not possible."""
    found: list[Replay] = []
    for recording in read_recordings(path):
        found.append(_replay(recording))
        if len(found) == MOST:
            break
    if not found:
        raise TextError('trouble.no_recording', file=path)
    return found


def list_recordings(folder: Path) -> list[Path]:
    """Return the recordings and bags in a folder and below its folder of recordings."""
    places = [*folder.glob('*.jsonl'), *folder.glob('*.mcap')]
    for name in ('recordings', 'games'):
        places += [*(folder / name).rglob('*.jsonl'), *(folder / name).rglob('*.mcap')]
    # A bag and the lines beside it hold the same: the lines are enough.
    return sorted({path.resolve() for path in places})


class ReplayPainter:
    """Draws the steps of a replay: all there is, or as one role saw it."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        # What the rules cannot be found for is drawn from its facts alone.
        game = None
        self.trouble = ''
        try:
            game = open_game(replay.game)
        except GdlError as error:
            self.trouble = f'the rules of {replay.game} are not here: {error}'
        view, problem = find_view(replay.game)
        self.trouble = self.trouble or problem
        facts = {fact for step in replay.steps for fact in step.facts}
        moves = {move for step in replay.steps for move in step.moves.values()}
        # Whether a role's eyes see less than everything; unknown rules may hide something.
        self.hides_facts = game is None or game.information is not Information.COMPLETE
        self._painter = Painter(replay.game, replay.roles, game, facts, moves, view)

    def paint(self, number: int, viewer: str = '') -> Scene:
        """Return the picture of a step."""
        step = self._replay.steps[number]
        facts = [fact for fact in step.facts if not viewer or _is_seen(fact, viewer)]
        return self._painter.paint(facts, (), viewer, last=step.moves)

    @property
    def view(self) -> ViewFile:
        """Return the view file of the game."""
        return self._painter.view

    def words(self, number: int, viewer: str = '') -> list[tuple[str, str]]:
        """Return the moves that led to a step, in words; a viewer sees only its own."""
        told = self._replay.steps[number].moves
        seen = {r: m for r, m in told.items() if not viewer or r == viewer}
        moves = {r: m for r, m in seen.items() if m != str(NOOP_MOVE)} or seen
        return [(role, self._painter.name_move(move, role)) for role, move in moves.items()]

    def last_squares(self, number: int) -> list[str]:
        """Return the squares of the moves that led to a step."""
        return self._painter.squares_of(self._replay.steps[number].moves)


def _replay(recording: Recording) -> Replay:
    roles = tuple(str(role) for role in recording.roles or () if role != NATURE)
    steps = [ReplayStep(_texts(recording.initial), {}, {})]
    for step in recording.steps:
        moves = {str(role): str(move) for role, move in step.moves.items()}
        facts = _texts(step.state) if step.state is not None else steps[-1].facts
        steps.append(ReplayStep(facts, moves, {}))
    if recording.ending is not None and recording.ending.goals:
        told = recording.ending.goals.items()
        goals = {str(role): goal for role, goal in told if goal is not None and role != NATURE}
        last = steps[-1]
        steps[-1] = ReplayStep(last.facts, last.moves, goals)
    return Replay(recording.game, roles, tuple(steps), recording.note)


def _texts(facts: object) -> tuple[str, ...]:
    return tuple(sorted(map(str, facts or ())))  # type: ignore[call-overload]


def _is_seen(fact: str, viewer: str) -> bool:
    """Tell whether a role sees a fact: all but what only others see."""
    if not fact.startswith(f'({SEES} '):
        return True
    return fact.split(' ', 2)[1] == viewer
