"""The nodes of a match as a picture: agents, the environment, and those that look on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from gdl_env.gui.graph.topic_watch import Flow

_WIDTH, _BOX, _GAP = 230, 46, 92
# Where agents, the environment and those that look on begin.
_COLUMNS = (10, 450, 890)


def draw_graph(environment: str, agents: Sequence[str], flows: Sequence[Flow], title: str) -> str:
    """Return SVG: boxes for nodes, arrows for topics with their rates."""
    shown = [flow for flow in flows if environment in {flow.source, flow.target}]
    names = {flow.source for flow in shown} | {flow.target for flow in shown} | {environment}
    left = [name for name in agents if name in names and name != environment]
    right = sorted(names - {environment, *left})
    rows = max(len(left), len(right), 1)
    height = rows * _GAP + 20
    places: dict[str, tuple[float, float]] = {environment: (_COLUMNS[1], height / 2)}
    for column, group in ((_COLUMNS[0], left), (_COLUMNS[2], right)):
        for number, name in enumerate(group):
            places[name] = column, 10 + _GAP * (number + 0.5) * rows / max(1, len(group))
    # Columns without nodes are left out.
    start = 0 if left else _COLUMNS[1] - 10
    width = (_COLUMNS[2 if right else 1] + _WIDTH + 10) - start
    parts = [
        f'<svg viewBox="{start} 0 {width} {height}" role="img" class="gt-nodes"'
        f' style="aspect-ratio: {width} / {height}; max-width: {width * 1.15:.0f}px">',
        f'<title>{escape(title)}</title>',
        '<defs><marker id="gt-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z" class="gt-tip"/></marker></defs>',
    ]
    for other in (*left, *right):
        parts += _draw_pair(environment, other, places, shown)
    for name, (x, y) in places.items():
        kind = 'environment' if name == environment else 'agent' if name in left else 'other'
        parts.append(_draw_box(name, x, y, kind))
    return ''.join((*parts, '</svg>'))


def _draw_box(name: str, x: float, y: float, kind: str) -> str:
    short = name.rpartition('/')[2]
    short = short if len(short) <= 26 else f'{short[:25]}…'
    top = y - _BOX / 2
    return (
        f'<g class="gt-node is-{kind}"><rect x="{x}" y="{top:.0f}" width="{_WIDTH}"'
        f' height="{_BOX}" rx="12"/><text x="{x + _WIDTH / 2}" y="{y + 5:.0f}">'
        f'{escape(short)}</text></g>'
    )


def _draw_pair(
    environment: str, other: str, places: dict[str, tuple[float, float]], flows: Sequence[Flow]
) -> list[str]:
    """Draw what goes to and fro between the environment and another node."""
    (x, y), (ex, ey) = places[other], places[environment]
    is_left = x < ex
    near, far = (x + _WIDTH, ex) if is_left else (x, ex + _WIDTH)
    parts = []
    for is_out, shift in ((True, -9), (False, 9)):
        source, target = (environment, other) if is_out else (other, environment)
        found = [flow for flow in flows if (flow.source, flow.target) == (source, target)]
        if not found:
            continue
        start, end = (far, ey), (near, y + shift)
        line = (start, end) if is_out else (end, start)
        (x1, y1), (x2, y2) = line
        rates = [flow.rate for flow in found if flow.rate is not None]
        is_busy = any(rate > 0 for rate in rates)
        parts.append(
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" marker-end='
            f'"url(#gt-tip)" class="gt-flow{" is-busy" if is_busy else ""}"/>'
        )
        label = _label(found, max(rates, default=None))
        # Beside the other node, where arrows do not meet.
        at = near + (8 if is_left else -8)
        anchor = 'start' if is_left else 'end'
        place = y + shift + (-8 if is_out else 18)
        parts.append(
            f'<text x="{at:.0f}" y="{place:.0f}" text-anchor="{anchor}" class="gt-topic">'
            f'{escape(label)}</text>'
        )
    return parts


def _label(flows: Sequence[Flow], rate: float | None) -> str:
    names = [flow.topic.rpartition('/')[2] for flow in flows]
    shown = ', '.join(dict.fromkeys(names))
    shown = shown if len(shown) <= 26 else f'{shown[:25]}…'
    return shown if rate is None else f'{shown} {rate:,.1f}/s'
