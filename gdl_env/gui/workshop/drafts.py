"""Rules that visitors have brought: kept in a folder of their own, and known by name from there.

A draft is text. It is never run as a program, and its file lies where no name can lead out of.
"""

from __future__ import annotations

from dataclasses import dataclass
import os
from pathlib import Path
import re

from gdl_env.gui.drawing.view_file import SUFFIX
from gdl_env.gui.errors import GuiError
from gdl_env.gui.texts import text
from gdl_env.language.library import PATH_VARIABLE, list_games
from gdl_env.language.source import Source

FOLDER = 'drafts'
# Characters of a file at most: a public game has some ten thousand.
MOST = 400_000
_NAME = re.compile(r'[a-z][a-z0-9_]{0,39}')


@dataclass(frozen=True)
class GameDraft:
    """Rules, and how they are drawn."""

    name: str = ''
    rules: str = ''
    # The text of the view file; may be empty.
    view: str = ''


def add_to_library(folder: Path) -> None:
    """Have games be looked up among the drafts, too; by the processes that are started as well."""
    entries = [entry for entry in os.environ.get(PATH_VARIABLE, '').split(os.pathsep) if entry]
    os.environ[PATH_VARIABLE] = os.pathsep.join([*entries, str(folder / FOLDER)])


def rules_path(folder: Path, name: str) -> Path:
    """Return where the rules of a draft are. Raises GuiError for what is no name."""
    if not _NAME.fullmatch(name):
        raise GuiError(text('editor.bad_name', name=name))
    return folder / FOLDER / f'{name}.gdl'


def to_name(file: str) -> str:
    """Return a name for a file that a visitor brings."""
    stem = Path(file.replace('\\', '/')).name.partition('.')[0]
    name = re.sub(r'[^a-z0-9]+', '_', stem.lower()).strip('_')[:40]
    return name if _NAME.fullmatch(name) else f'game_{name}'.strip('_')[:40]


def save_draft(folder: Path, draft: GameDraft, before: str) -> Path:
    """Write a draft; `before` is the name it was opened by. Raises GuiError."""
    path = rules_path(folder, draft.name)
    if max(len(draft.rules), len(draft.view)) > MOST:
        raise GuiError(text('editor.too_long', most=f'{MOST:,}'))
    known = {game.stem: game for game in list_games()}
    if draft.name in known and known[draft.name].resolve() != path.resolve():
        raise GuiError(text('editor.taken', name=draft.name))
    if path.exists() and draft.name != before and path.read_text('utf-8') != draft.rules:
        raise GuiError(text('editor.exists', name=draft.name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(draft.rules, 'utf-8')
    view = path.with_name(f'{draft.name}{SUFFIX}')
    if draft.view.strip():
        view.write_text(draft.view, 'utf-8')
    else:
        view.unlink(missing_ok=True)
    return path


def open_draft(name: str) -> GameDraft:
    """Return the text of any game that is known by name, to be changed. Raises GuiError."""
    for path in list_games():
        if path.stem == name:
            view = path.with_name(f'{name}{SUFFIX}')
            drawn = view.read_text('utf-8') if view.is_file() else ''
            return GameDraft(name, Source.from_file(path).text, drawn)
    raise GuiError(text('editor.unknown', name=name))
