"""Write a game: its errors at their lines, its board beside it, and a table to play it at."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
import json
from typing import Any

from nicegui import ui

from gdl_env.errors import GdlError
from gdl_env.gui.components.table import GameTable
from gdl_env.gui.drawing.pieces import role_colour
from gdl_env.gui.errors import GuiError
from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.received_files import accept_files
from gdl_env.gui.pages.shell import complain, guarded, heading, mark, shell, visitor
from gdl_env.gui.player_names import USUAL
from gdl_env.gui.tables import ME
from gdl_env.gui.texts import text
from gdl_env.gui.workshop.drafts import GameDraft, open_draft, rules_path, save_draft

# A text is checked this long after the last key [s].
_PAUSE = 0.4
# A slow browser says within this time whether it is dark [s].
_PATIENCE = 30.0
# A draft that has no name yet.
_UNNAMED = 'my_game'
# Where a new game begins.
_EXAMPLE = 'tictactoe'
# Findings that are listed, and moves of each role.
_LISTED = 30
_MOVES = 12
# Gives the text of an editor a name, and makes it a stop of the Tab key.
_NAME = """setTimeout(async () => {
    const field = getElement(%s);
    const editor = field && (field.editor || await field.editorPromise);
    if (!editor) return;
    editor.contentDOM.setAttribute('aria-label', %s);
    editor.contentDOM.tabIndex = 0;
}, 50)"""
_ICONS = {'error': 'error', 'warning': 'warning', 'note': 'info'}


class EditorPage:
    """One open draft."""

    def __init__(self, hub: Hub, draft: GameDraft, before: str) -> None:
        self.hub = hub
        self.draft = draft
        # The name under which the draft may be written again.
        self._before = before
        self._checked: GameDraft | None = None
        self._answer: dict[str, Any] = {}
        self._changes = 0

    def build(self) -> None:
        """Make the elements."""
        with ui.dialog() as files, ui.card():
            heading(text('editor.open'))
            ui.label(text('home.own_hint')).classes('text-sm opacity-80')
            accept_files(partial(self._take, files))
        with ui.row().classes('w-full items-end gap-2'):
            self.name = ui.input(text('editor.name'), value=self.draft.name or _UNNAMED)
            mark(self.name.classes('w-48'), 'name')
            self.play = ui.button(
                text('editor.play'), icon='play_arrow', on_click=guarded(self._play)
            )
            mark(self.play.props('no-caps'), 'play')
            save = ui.button(text('editor.save'), icon='save', on_click=guarded(self._save))
            mark(save.props('no-caps outline'), 'save')
            ui.button(text('editor.open'), icon='folder_open', on_click=files.open).props(
                'no-caps flat'
            )
        with ui.row().classes('w-full items-start gap-4 no-wrap max-md:flex-wrap'):
            with ui.column().classes('w-full md:w-1/2 min-w-0 gap-2'):
                self._build_texts()
                ui.label(text('editor.leave')).classes('text-xs opacity-80')
                self.findings = ui.column().classes('w-full gap-1').props('role=log')
                mark(self.findings, 'findings')
            with ui.card().classes('w-full md:w-1/2 min-w-0'):
                self.state = ui.label(text('editor.checking')).classes('font-medium')
                self.state.props('role=status')
                self.table = GameTable(_ignore).classes('gt-sketch')
                self.moves = ui.column().classes('w-full gap-1')
        ui.timer(0.1, self._begin, once=True)

    def _build_texts(self) -> None:
        with ui.tabs().props('dense no-caps align=left') as tabs:
            rules = ui.tab('rules', text('editor.rules'))
            view = ui.tab('view', text('editor.view'))
        panels = ui.tab_panels(tabs, value=rules, on_change=self._name_editors)
        with panels.classes('w-full bg-transparent').props('keep-alive'):
            with ui.tab_panel(rules).classes('p-0'):
                self.rules = self._editor(self.draft.rules, 'Common Lisp', 'editor.rules')
            with ui.tab_panel(view).classes('p-0'):
                self.view = self._editor(self.draft.view, 'YAML', 'editor.view')

    def _editor(self, value: str, language: Any, key: str) -> ui.codemirror:
        editor = ui.codemirror(
            value,
            language=language,
            theme='githubLight',
            on_change=self._on_change,
            line_wrapping=True,
        )
        editor.classes('w-full gt-editor')
        mark(editor, key)
        return editor

    def _name_editors(self) -> None:
        """Tell screen readers what the fields are; one is made when its tab is opened."""
        for editor, key in ((self.rules, 'editor.rules'), (self.view, 'editor.view')):
            ui.run_javascript(_NAME % (editor.id, json.dumps(text(key))))

    async def _begin(self) -> None:
        """Take the colours of the page, and check what is there."""
        if await ui.run_javascript('Quasar.Dark.isActive', timeout=_PATIENCE):
            for editor in (self.rules, self.view):
                editor.set_theme('githubDark')
        self._name_editors()
        await self._check()

    def _on_change(self) -> None:
        self._changes += 1
        number = self._changes

        async def wait() -> None:
            if number == self._changes:
                await self._check()

        ui.timer(_PAUSE, wait, once=True)

    def _read(self) -> GameDraft:
        """Return what is in the fields now."""
        name = str(self.name.value or '').strip()
        return GameDraft(name, str(self.rules.value or ''), str(self.view.value or ''))

    # ---- checking

    async def _check(self) -> None:
        """Check and draw the text, in another process."""
        draft = self._read()
        if draft == self._checked:
            return
        self.state.set_text(text('editor.checking'))
        try:
            self._answer = await self.hub.previews.ask(
                {
                    'name': draft.name,
                    'rules': draft.rules,
                    'view': draft.view,
                    'path': str(rules_path(self.hub.folder, draft.name)),
                }
            )
        except GuiError as error:
            self._answer = {'findings': [], 'trouble': str(error)}
        except (OSError, EOFError, asyncio.TimeoutError):
            self._answer = {'findings': [], 'trouble': text('editor.too_much')}
        self._checked = draft
        # What was typed meanwhile has a check of its own.
        if self._read() == draft:
            self._show()

    @property
    def _errors(self) -> int:
        return sum(one['severity'] == 'error' for one in self._answer.get('findings', ()))

    def _show(self) -> None:
        findings = self._answer.get('findings', [])
        trouble = self._answer.get('trouble', '')
        errors = self._errors
        words = text('editor.errors', count=errors) if errors else text('editor.fine')
        self.state.set_text(trouble or words)
        self.play.set_enabled(not errors and not trouble)
        self._decorate(findings)
        self.findings.clear()
        with self.findings:
            for finding in findings[:_LISTED]:
                self._list_finding(finding)
            if len(findings) > _LISTED:
                ui.label(text('editor.more', count=len(findings) - _LISTED))
        self._draw()

    def _decorate(self, findings: list[dict[str, Any]]) -> None:
        """Mark findings at their lines, with their words behind them."""
        starts = _line_starts(str(self.rules.value or ''))
        marks: list[dict[str, Any]] = []
        for finding in findings[:_LISTED]:
            kind = finding['severity']
            line = min(int(finding['line']), len(starts) - 1)
            start = starts[line - 1] + int(finding['column']) - 1
            last = min(int(finding['end_line']), len(starts) - 1)
            end = min(starts[last - 1] + int(finding['end_column']) - 1, starts[-1])
            marks.append({'kind': 'line', 'line': line, 'class': f'gt-found is-{kind}'})
            if end > start:
                marks.append(
                    {'kind': 'mark', 'from': start, 'to': end, 'class': f'gt-mark is-{kind}'}
                )
        self.rules.decorations = marks
        self.rules.line_tooltips = {
            int(finding['line']): finding['message'] for finding in findings[:_LISTED]
        }

    def _list_finding(self, finding: dict[str, Any]) -> None:
        kind, line = finding['severity'], int(finding['line'])
        with ui.row().classes(f'w-full items-start gap-2 no-wrap gt-finding is-{kind}'):
            ui.icon(_ICONS[kind]).classes('text-lg mt-1')
            with ui.column().classes('gap-0 min-w-0'):
                place = text('editor.place', line=line, column=finding['column'])
                button = ui.button(place, on_click=lambda: self.rules.reveal_line(line))
                button.props('flat dense no-caps')
                ui.label(finding['message']).classes('text-sm break-words')
                if finding['allowed']:
                    allowed = text('editor.allowed', what=finding['allowed'])
                    ui.label(allowed).classes('text-sm opacity-80 break-words')
                if finding['edits']:
                    fix = ui.button(text('editor.fix'), icon='auto_fix_high')
                    fix.props('flat dense no-caps').on_click(lambda: self._fix(finding['edits']))

    def _fix(self, edits: list[dict[str, Any]]) -> None:
        """Do what the checker suggests."""
        words = str(self.rules.value or '')
        starts = _line_starts(words)
        for edit in sorted(edits, key=lambda e: (e['line'], e['column']), reverse=True):
            start = starts[edit['line'] - 1] + edit['column'] - 1
            end = starts[edit['end_line'] - 1] + edit['end_column'] - 1
            words = words[:start] + edit['text'] + words[end:]
        self.rules.set_value(words)

    def _draw(self) -> None:
        scene = self._answer.get('scene')
        if scene is None:
            return
        roles = self._answer['roles']
        self.table.show(
            {
                'scene': scene,
                'players': [_player(role, roles) for role in roles],
                'banner': text('editor.first'),
                'bannerKind': '',
                'tick': 0,
                'canPlay': False,
                'clock': None,
                'lastSquares': [],
            }
        )
        self.moves.clear()
        with self.moves:
            for role, moves in self._answer['legal'].items():
                shown = ', '.join(moves[:_MOVES])
                if len(moves) > _MOVES:
                    shown += f' {text("banner.more", count=len(moves) - _MOVES)}'
                words = text('editor.moves', role=role, moves=shown or text('editor.no_move'))
                ui.label(words).classes('text-sm break-words')

    # ---- files and tables

    def _take(self, dialog: ui.dialog, draft: GameDraft) -> None:
        """Open files that were dropped here."""
        dialog.close()
        self._before = ''
        self.name.set_value(draft.name)
        self.rules.set_value(draft.rules)
        self.view.set_value(draft.view)

    async def _save(self) -> str:
        """Write the draft; return its name. Raises GuiError if it has errors."""
        await self._check()
        trouble = self._answer.get('trouble', '')
        if self._errors or trouble:
            raise GuiError(trouble or text('editor.errors', count=self._errors))
        draft = self._read()
        path = save_draft(self.hub.folder, draft, self._before)
        self._before = draft.name
        place = path.relative_to(self.hub.folder)
        ui.notify(text('editor.saved', file=place), type='positive')
        return draft.name

    async def _play(self) -> None:
        name = await self._save()
        roles: list[str] = self._answer['roles']
        players = {roles[0]: ME, **dict.fromkeys(roles[1:], USUAL)}
        table = self.hub.tables.open(name, players)
        await self.hub.begin_when_ready(table.namespace, [roles[0]])
        ui.navigate.to(match_path(table.namespace, roles[0]))


def _player(role: str, roles: list[str]) -> dict[str, Any]:
    return {
        'role': role,
        'colour': role_colour(role, roles),
        'agent': '',
        'isYou': False,
        'toMove': False,
        'goal': None,
        'tally': '',
        'strikes': 0,
    }


def _line_starts(words: str) -> list[int]:
    """Return where lines start, and behind the last one where the text ends."""
    starts = [0]
    for line in words.split('\n'):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] -= 1
    return starts


async def _ignore(tick: int, move: str) -> None:
    """Do nothing: a draft is not played."""


async def open_editor(hub: Hub, game: str = '') -> None:
    """Draw the page: of what was dropped, of a game by its name, or of an example."""
    with shell(text('shell.editor')):
        draft, before = hub.received.pop(visitor(), GameDraft()), ''
        try:
            if game:
                draft, before = open_draft(game), game
            elif not draft.rules:
                draft = replace(open_draft(_EXAMPLE), name=_UNNAMED)
        except GdlError as error:
            complain(str(error))
        EditorPage(hub, draft, before).build()
