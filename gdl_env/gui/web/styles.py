"""The style sheet of all pages: one file, which browsers keep as long as it stays the same."""

from __future__ import annotations

from functools import cache
import hashlib
from pathlib import Path

from fastapi import Response
from nicegui import app, ui

_FOLDER = Path(__file__).parents[1] / 'components'
_FILES = ('utilities.css', 'table.css', 'pages.css')
# What has its digest in its address never changes.
FOR_EVER = {'Cache-Control': 'public, max-age=31536000, immutable'}


@cache
def _read_styles() -> tuple[str, str]:
    """Return the address of the style sheet, and its text."""
    text = '\n'.join((_FOLDER / name).read_text(encoding='utf-8') for name in _FILES)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f'/gdl/styles-{digest}.css', text


def serve_styles() -> None:
    """Serve the style sheet, and have every page use it."""
    path, text = _read_styles()

    @app.get(path)
    def styles() -> Response:
        return Response(text, media_type='text/css', headers=FOR_EVER)

    ui.add_head_html(f'<link rel="stylesheet" href="{path}">', shared=True)
