"""Recorded matches, to be looked at step by step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from sys import intern

from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import Recording
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.domain import SEES
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import Scene
from gdl_env.gui.drawing.view_file import ViewFile
from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.texts import TextError
from gdl_env.gui.views import find_view
from gdl_env.language.game import Game, Information, Role
from gdl_env.language.terms import Symbol, Term
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
    # Who played, where that is known.
    title: str = ''


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
        # What the rules cannot be found for is drawn from its facts alone.
        game: Game | None = None
        self.trouble = ''
        try:
            # Recordings are anybody's, and may name any file.
            game = read_offered_game(replay.game)
        except GdlError as error:
            self.trouble = f'the rules of {replay.game} are not here: {error}'
        view, problem = find_view(replay.game)
        self.trouble = self.trouble or problem
        facts = {fact for step in replay.steps for fact in step.facts}
        moves = {move for step in replay.steps for move in step.moves.values()}
        # Whether a role's eyes see less than everything; unknown rules may hide something.
        self.hides_facts = game is None or game.information is not Information.COMPLETE
        self.game = game
        self._painter = Painter(replay.game, replay.roles, game, facts, moves, view)

    def paint(self, step: ReplayStep, viewer: str = '', moves: Sequence[str] = ()) -> Scene:
        """Return the picture of a step, with moves that the viewer may make."""
        facts = [fact for fact in step.facts if not viewer or _is_seen(fact, viewer)]
        return self._painter.paint(facts, moves, viewer, last=step.moves)

    @property
    def view(self) -> ViewFile:
        """Return the view file of the game."""
        return self._painter.view

    def words(self, step: ReplayStep, viewer: str = '') -> list[tuple[str, str]]:
        """Return the moves that led to a step, in words; a viewer sees only its own."""
        seen = {r: m for r, m in step.moves.items() if not viewer or r == viewer}
        moves = {r: m for r, m in seen.items() if m != str(NOOP_MOVE)} or seen
        return [(role, self._painter.name_move(move, role)) for role, move in moves.items()]

    def last_squares(self, step: ReplayStep) -> list[str]:
        """Return the squares of the moves that led to a step."""
        return self._painter.squares_of(step.moves)


def to_step(
    state: Iterable[Term],
    moves: Mapping[Role, Term] | None = None,
    goals: Mapping[Role, int | None] | None = None,
) -> ReplayStep:
    """Return a step as texts; chance has no goal."""
    return ReplayStep(
        # Most facts stay from step to step: each is kept once.
        tuple(sorted(intern(str(fact)) for fact in state)),
        {str(role): str(move) for role, move in (moves or {}).items()},
        {
            str(role): goal
            for role, goal in (goals or {}).items()
            if goal is not None and role != NATURE
        },
    )


def _replay(recording: Recording) -> Replay:
    roles = tuple(str(role) for role in recording.roles or () if role != NATURE)
    steps = [to_step(recording.initial or ())]
    for step in recording.steps:
        made = to_step(step.state or (), step.moves)
        steps.append(made if step.state is not None else replace(made, facts=steps[-1].facts))
    if recording.ending is not None and recording.ending.goals:
        goals = to_step((), goals=recording.ending.goals).goals
        steps[-1] = replace(steps[-1], goals=goals)
    return Replay(recording.game, roles, tuple(steps), recording.note)


def _is_seen(fact: str, viewer: str) -> bool:
    """Tell whether a role sees a fact: all but what only others see."""
    if not fact.startswith(f'({SEES} '):
        return True
    return fact.split(' ', 2)[1] == viewer
