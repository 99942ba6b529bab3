"""A process that checks texts: the server stays awake, and can end a check that nobody needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gdl_env.editor.worker_lane import serve
from gdl_env.errors import GdlError
from gdl_env.language.diagnostics import Diagnostic, Severity, has_errors
from gdl_env.language.game import Game
from gdl_env.language.load import read_game
from gdl_env.language.source import Source, Span


def check(text: str, path: str | None) -> dict[str, Any]:
    """Return the findings of a text, and how many facts and moves its types allow."""
    source = Source(text, path or '<text>', Path(path) if path else None)
    sizes: dict[str, int] = {}
    try:
        game, findings = read_game(source)
        if not has_errors(findings):
            sizes = _sizes(game)
    except GdlError as error:
        findings = (Diagnostic(Severity.ERROR, 'game', str(error), Span(0, 0)),)
    return {'findings': [finding.to_dict(source) for finding in findings], 'sizes': sizes}


def _sizes(game: Game) -> dict[str, int]:
    """Return the number of facts and moves of each name and arity, as `cell/3`."""
    if not game.is_typed:
        return {}
    # Half a second, which games without types are spared.
    from gdl_env.engine.mapping.errors import EncodingError
    from gdl_env.engine.mapping.typed import TypedEncoding

    try:
        encoding = TypedEncoding(game)
    except EncodingError:
        return {}
    found: dict[str, int] = {}
    for template in (*encoding.state.merged, *encoding.action.merged):
        shape = template.shape
        if shape is not None and shape[0] == 'sees':
            shape = shape[1][-1]
        if shape is not None:
            name = f'{shape[0]}/{len(shape[1])}'
            found[name] = found.get(name, 0) + template.size
    return found


def main() -> None:
    """Answer until standard input ends."""
    serve(lambda question: check(question['text'], question['path']))


if __name__ == '__main__':
    main()
