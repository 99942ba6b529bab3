"""Games of chess as PGN, in the import format: every move names its piece and both squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date

from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.study.branch_tree import BranchTree
from gdl_env.gui.study.chess_moves import read_board, read_move
from gdl_env.gui.study.history import HistoryEntry
from gdl_env.gui.study.replays import ReplayStep
from gdl_env.gui.study.saved_games import list_frames
from gdl_env.gui.texts import TextError

_RESULTS = {100: '1-0', 50: '1/2-1/2', 0: '0-1'}


def to_pgn(link: MatchLink, entries: list[HistoryEntry]) -> str:
    """Return a game of chess as PGN. Raises GuiError if not all of it was seen."""
    frames = list_frames(link, entries)
    names = {r.role: r.agent.rpartition('/')[2] for r in link.status.roles} if link.status else {}
    players = {'White': names.get('white') or '?', 'Black': names.get('black') or '?'}
    steps = (ReplayStep(frame.facts, frame.moves, frame.goals) for frame in frames)
    return write_pgn(BranchTree(steps), players)


def write_pgn(tree: BranchTree, players: Mapping[str, str] | None = None) -> str:
    """Return a game of chess as PGN, with its branches as variations. Raises GuiError."""
    line = tree.find_line(0)
    result = _RESULTS.get(tree[line[-1]].goals.get('white', -1), '*')
    tags = {
        'Event': 'gdl_env',
        'Site': '?',
        'Date': f'{date.today():%Y.%m.%d}',
        'Round': '?',
        **(players or {'White': '?', 'Black': '?'}),
        'Result': result,
    }
    head = ''.join(f'[{key} "{_quote(value)}"]\n' for key, value in tags.items())
    return f'{head}\n{" ".join((*_words(tree), result))}\n'


def _quote(value: str) -> str:
    return value.replace('\\', '\\\\').replace('"', '\\"')


def _words(tree: BranchTree) -> Iterator[str]:
    """Yield moves and brackets; a move of black has a number where brackets stand before it."""
    # The newest position of each line that is open.
    lines = [0]
    is_next = False
    for entry in tree.entries()[1:]:
        while len(lines) > entry.depth + 1:
            lines.pop()
            is_next = False
            yield ')'
        if entry.depth == len(lines):
            lines.append(entry.number)
            is_next = False
            yield '('
        elif tree.nodes[entry.number].parent != lines[-1]:
            # Another branch at the same place.
            is_next = False
            yield ')'
            yield '('
        lines[-1] = entry.number
        number = (entry.place + 1) // 2
        if entry.place % 2:
            yield f'{number}.'
        elif not is_next:
            yield f'{number}...'
        is_next = True
        yield _move(tree, entry.number)
    for _ in lines[1:]:
        yield ')'


def _move(tree: BranchTree, number: int) -> str:
    """Return the move that led to a position."""
    node = tree.nodes[number]
    told = {role: move for role, move in node.step.moves.items() if move != 'noop'}
    if len(told) != 1 or node.parent is None:
        raise TextError('trouble.no_pgn')
    ((role, text),) = told.items()
    return str(read_move(role, text, read_board(tree[node.parent].facts)))
