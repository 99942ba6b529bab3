"""Games that a page goes through and tries moves in: from recordings, matches and PGN."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gdl_env.gui.gallery.offered_games import read_offered_game
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.study.branch_tree import BranchTree
from gdl_env.gui.study.history import HistoryEntry
from gdl_env.gui.study.pgn_reader import GAME, read_pgn
from gdl_env.gui.study.replays import Replay, ReplayStep, load_replays
from gdl_env.gui.study.saved_games import list_frames
from gdl_env.gui.study.trial_board import TrialBoard, is_chance
from gdl_env.gui.texts import TextError
from gdl_env.language.game import Information


@dataclass(frozen=True)
class StudiedGame:
    """A game, its positions with all branches, and the one that is shown first."""

    replay: Replay
    tree: BranchTree
    number: int = 0


def study_file(path: Path) -> list[StudiedGame]:
    """Return the games of a recording or a bag. Raises GdlError."""
    return [StudiedGame(replay, BranchTree(replay.steps)) for replay in load_replays(path)]


def study_pgn(text: str) -> list[StudiedGame]:
    """Return the games of a PGN. Raises GuiError with the first wrong move."""
    board = TrialBoard(read_offered_game(GAME))
    return [StudiedGame(game.to_replay(), game.tree) for game in read_pgn(text, board)]


def study_rules(name: str) -> list[StudiedGame]:
    """Return a game of which nothing was played yet. Raises GdlError, also if it hides facts."""
    game = read_offered_game(name)
    if game.information is not Information.COMPLETE:
        raise TextError('trouble.hidden_trial', game=name)
    first = TrialBoard(game).first
    roles = tuple(name for name in map(str, game.roles) if not is_chance(name))
    return [StudiedGame(Replay(game.name, roles, (first,)), BranchTree([first]))]


def study_match(
    link: MatchLink, entries: Sequence[HistoryEntry], number: int | None
) -> list[StudiedGame]:
    """Return a match as far as it was played, what was taken back as branches.

    It is shown at the position of a frame; None is the newest. Raises GuiError if not all of it
    was seen, or if it hides something.
    """
    frames = list_frames(link, list(entries))
    if link.info is None or not link.is_open:
        raise TextError('trouble.hides')
    steps = [ReplayStep(frame.facts, frame.moves, frame.goals) for frame in frames]
    tree = BranchTree(steps)
    kept = [entry.number for entry in entries if not entry.is_undone]
    places = dict(zip(kept, range(len(kept)), strict=True))
    for entry in entries:
        frame = link.frames.get(entry.number, link.info)
        if entry.is_undone and entry.parent in places and frame is not None:
            step = ReplayStep(frame.facts, frame.moves, frame.goals)
            places[entry.number] = tree.add(places[entry.parent], step)
    replay = Replay(link.info.name, tuple(link.info.roles), tuple(steps))
    last = places[kept[-1]]
    return [StudiedGame(replay, tree, last if number is None else places.get(number, last))]


def line_of(game: StudiedGame, number: int) -> Replay:
    """Return the line through a position as a game of its own."""
    steps = tuple(game.tree[n] for n in game.tree.find_line(number))
    return replace(game.replay, steps=steps)
