"""A process that checks rules and draws their first position.

It is ended if that takes too long, and has a limit on memory: the server survives every draft.
"""

from __future__ import annotations

from pathlib import Path
import resource
from typing import Any

from gdl_env.editor.check_worker import check
from gdl_env.editor.worker_lane import serve
from gdl_env.errors import GdlError
from gdl_env.gui.drawing.errors import ViewError
from gdl_env.gui.drawing.view_file import ViewFile, read_view
from gdl_env.gui.gallery.first_position import paint_first
from gdl_env.language.diagnostics import Severity
from gdl_env.language.load import game_from_source
from gdl_env.language.source import Source

# Memory, with all that is merely reserved [bytes].
_MEMORY = 4 << 30


def preview(name: str, rules: str, view: str, path: str) -> dict[str, Any]:
    """Return the findings of a draft, and a picture of its first position if it has no errors."""
    findings: list[dict[str, Any]] = check(rules, path)['findings']
    drawn, trouble = ViewFile(), ''
    try:
        drawn = read_view(view, f'{name}.view.yaml')
    except ViewError as error:
        trouble = str(error)
    answer: dict[str, Any] = {'findings': findings, 'trouble': trouble}
    if any(one['severity'] == Severity.ERROR.value for one in findings):
        return answer
    try:
        position = paint_first(game_from_source(Source(rules, path, Path(path))), name, drawn)
    except (GdlError, ValueError) as error:
        return {**answer, 'trouble': trouble or str(error)}
    return {
        **answer,
        'roles': list(position.roles),
        'scene': position.scene.to_json(),
        'legal': {role: list(moves) for role, moves in position.legal.items()},
    }


def main() -> None:
    """Answer until standard input ends."""
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MEMORY if most == resource.RLIM_INFINITY else min(_MEMORY, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    serve(lambda asked: preview(asked['name'], asked['rules'], asked['view'], asked['path']))


if __name__ == '__main__':
    main()
