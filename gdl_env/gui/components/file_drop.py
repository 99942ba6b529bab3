"""A place on a page where files can be dropped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui

from gdl_env.gui.pages.shell import guarded


class FileDrop(ui.element, component='file_drop.js'):
    """Reads one or two small files as text; `on_files` is called with their names and texts."""

    def __init__(
        self,
        label: str,
        types: Sequence[str],
        most: int,
        on_files: Callable[[list[tuple[str, str]]], Any],
        on_refused: Callable[[], None],
    ) -> None:
        super().__init__()
        self._props |= {'label': label, 'types': ','.join(types), 'most': most}

        async def take(event: Any) -> None:
            on_files([(str(file['name']), str(file['text'])) for file in event.args])

        self.on('taken', guarded(take))
        self.on('refused', on_refused)
