"""The games there are, with what a visitor wants to know of each: a picture, players, kind."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from gdl_env.engine.recordings.reader import read_recordings
from gdl_env.engine.recordings.recording import Recording
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.painter import Painter
from gdl_env.gui.drawing.scene import Scene
from gdl_env.gui.gallery.first_position import find_first_facts
from gdl_env.gui.gallery.game_lengths import read_length
from gdl_env.gui.views import find_view
from gdl_env.gui.workshop.drafts import FOLDER as DRAFTS
from gdl_env.language.game import Game, Information
from gdl_env.language.library import list_games
from gdl_env.language.load import open_game
from gdl_env.language.terms import name_of
from gdl_env.play.noop import is_noop
from gdl_env.ros.launch.topology import NATURE

# How far into a recorded game its picture is taken.
_MIDDLE = 0.4
# Cards of a picture.
_CARDS = 6


@dataclass(frozen=True)
class GameCard:
    """One game of the gallery."""

    name: str
    title: str
    players: int = 0
    # Words to filter by: perfect information, hidden, chance, simultaneous, cards, board, puzzle.
    kinds: tuple[str, ...] = ()
    summary: str = ''
    board: dict[str, Any] | None = None
    cards: tuple[dict[str, Any], ...] = field(default=())
    # Where there is neither: dice, or what players say.
    dice: tuple[int, ...] = ()
    said: tuple[str, ...] = ()
    # Moves of a random game; 0: not counted yet.
    moves: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def list_cards() -> list[GameCard]:
    """Return all games by name; those whose rules cannot be read have no picture."""
    return [_describe_with_length(path) for path in list_games()]


def _describe_with_length(path: Path) -> GameCard:
    card = _describe(path, path.stat().st_mtime_ns)
    try:
        moves = read_length(path) if card.players else None
    except GdlError:
        moves = None
    return replace(card, moves=moves or 0.0)


@lru_cache(maxsize=500)
def _describe(path: Path, _changed: int) -> GameCard:
    title = path.stem.replace('_', ' ').capitalize()
    try:
        game = open_game(str(path))
        view, _ = find_view(path.stem)
        roles = [str(role) for role in game.roles if str(role) != NATURE]
        recording = _find_recording(path)
        scene = _paint(game, roles, recording)
    except (GdlError, ValueError, OSError) as error:
        return GameCard(path.stem, title, summary=str(error).splitlines()[0])
    groups = [group.cards for group in scene.cards]
    seats = scene.table.seats if scene.table else ()
    groups += [seat.cards for seat in seats]
    cards = [asdict(card) for group in groups for card in group if card.is_up]
    board = asdict(scene.boards[0]) if scene.boards else None
    kinds = (*_find_kinds(game, roles, recording), *(['board'] if board else []))
    kinds += ('cards',) if cards else ()
    kinds += ('own',) if path.parent.name == DRAFTS else ()
    return GameCard(
        path.stem,
        view.title or title,
        len(roles),
        kinds,
        _read_summary(game.source.text),
        board,
        tuple(cards[:_CARDS]),
        scene.dice,
        tuple(said for seat in seats for said in seat.said[-1:]),
    )


def _find_recording(path: Path) -> Recording | None:
    """Return the first game that was recorded beside the rules, if any."""
    beside = path.with_suffix('.recording.jsonl')
    return next(iter(read_recordings(beside)), None) if beside.is_file() else None


def _paint(game: Game, roles: list[str], recording: Recording | None) -> Scene:
    """Draw a typical position, or the first one."""
    view, _ = find_view(Path(game.name).stem)
    steps = [step for step in recording.steps if step.state] if recording else []
    shown = steps[int(len(steps) * _MIDDLE) :]
    # Dice may be seen in the moves only.
    if names := view.shown('dice'):
        rolled = [s for s in shown if any(name_of(move) in names for move in s.moves.values())]
        shown = rolled or shown
    facts = list(map(str, shown[0].state or () if shown else find_first_facts(game)))
    last = {str(role): str(move) for role, move in shown[0].moves.items()} if shown else {}
    moves = {str(m) for step in recording.steps for m in step.moves.values()} if recording else ()
    painter = Painter(Path(game.name).stem, roles, game, facts, moves, view)
    return painter.paint(facts, last=last)


def _find_kinds(game: Game, roles: list[str], recording: Recording | None) -> tuple[str, ...]:
    """Return what kind of game it is, as the rules say."""
    found = []
    is_chance = any(str(role) == NATURE for role in game.roles) or bool(game.experiments)
    if game.information is not Information.COMPLETE:
        found.append('hidden')
    elif not is_chance:
        found.append('perfect information')
    if is_chance:
        found.append('chance')
    if len(roles) == 1:
        found.append('puzzle')
    for step in recording.steps if recording else ():
        acting = [r for r, move in step.moves.items() if str(r) != NATURE and not is_noop(move)]
        if len(acting) > 1:
            found.append('simultaneous')
            break
    return tuple(found)


def _read_summary(text: str) -> str:
    """Return what the first line of a rule file says, behind the name of the game."""
    first = text.lstrip('\ufeff \r\n').split('\n', 1)[0]
    if not first.startswith(';'):
        return ''
    words = first.strip('; \r')
    summary = words.partition(' - ')[2] or words
    return summary[:1].upper() + summary[1:]
