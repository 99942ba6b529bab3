"""What the verbs of learning share: shares with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gdl_env.environment.score import Score


SCORE_HEADERS = ('games#', 'won#', '', 'drawn#', '', 'lost#', '', 'mean goal#')


def score_cells(score: Score) -> tuple[object, ...]:
    """Return the cells of a row of results: shares, and what they lie between (95 %)."""
    cells: list[object] = [score.games]
    for share, low, high in score.shares():
        cells += [f'{share:.1%}', f'{low:.1%} to {high:.1%}']
    cells.append(f'{score.goals / score.games:.1f}' if score.games else '-')
    return tuple(cells)
