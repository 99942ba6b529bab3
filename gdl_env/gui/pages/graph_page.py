"""Who plays which role, how fast, with how many strikes; and others in their place."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import quote

from gdl_msgs.msg import Status
from nicegui import context, ui

from gdl_env.gui.errors import GuiError
from gdl_env.gui.graph.graph_picture import draw_graph
from gdl_env.gui.graph.topic_watch import Flow, TopicWatch
from gdl_env.gui.hub import Hub
from gdl_env.gui.match_link import MatchLink
from gdl_env.gui.pages.match_list import name_match
from gdl_env.gui.pages.navigator import match_path
from gdl_env.gui.pages.shell import guarded, heading, mark, shell
from gdl_env.gui.player_names import offer_players
from gdl_env.gui.tables import ENVIRONMENT
from gdl_env.gui.texts import text

# By the number of the phase, and of the state of an agent.
_PHASES = (
    *('graph.unknown', 'graph.waiting', 'graph.playing'),
    *('graph.paused', 'graph.finished', 'graph.failed'),
)
_STATES = ('graph.environment', 'graph.missing', 'graph.attached', 'graph.silent')


class GraphPage:
    """The roles of one match."""

    def __init__(self, hub: Hub, link: MatchLink) -> None:
        self.hub = hub
        self.link = link
        self._roles: tuple[str, ...] = ()
        self._labels: dict[tuple[str, str], ui.label] = {}
        self._levels: dict[str, ui.row] = {}
        self._levelled: dict[str, str] = {}
        self._topics: TopicWatch | None = None
        self._flows: tuple[Flow, ...] = ()

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('items-center gap-3'):
            ui.link(text('graph.board'), match_path(self.link.namespace))
            self.summary = ui.label().classes('opacity-80')
        self.trouble = ui.label().classes('text-negative break-all')
        self.cards = ui.row().classes('w-full gap-3')
        with ui.card().classes('w-full'):
            heading(text('graph.flows'))
            ui.label(text('graph.flows_hint')).classes('text-sm opacity-80')
            self.picture = ui.html('', sanitize=False).classes('w-full gt-scroll')
            self.picture.props('tabindex=0 role=region')
            self.picture.props['aria-label'] = text('graph.flows')
            with ui.expansion(text('graph.table')).classes('w-full'):
                self.flows = ui.column().classes('w-full gt-scroll')
        with ui.card().classes('w-full'):
            heading(text('graph.nodes'))
            self.nodes = ui.column().classes('gap-0')
        self._seen = -1
        ui.timer(0.5, guarded(self._refresh))
        ui.timer(1.0, guarded(self._draw_flows))
        context.client.on_delete(self._end)

    async def _draw_flows(self) -> None:
        """Draw who publishes what to whom."""
        if self._topics is None:
            self._topics = await self.hub.ros.run(lambda: TopicWatch(self.hub.node, self.link))
        flows = self._topics.flows
        if flows == self._flows:
            return
        self._flows = flows
        environment = self.hub.watch.environment(self.link.namespace)
        players = [self.hub.watch.players(self.link.namespace, role) for role in self._roles]
        agents = list(dict.fromkeys(name for found in players for name in found))
        title = text('graph.picture', name=self.link.namespace or '/')
        self.picture.set_content(draw_graph(environment, agents, flows, title))
        self.flows.clear()
        with self.flows, ui.element('table').classes('gt-ladder'):
            with ui.element('tr'):
                for key in ('graph.source', 'graph.topic', 'graph.target', 'graph.frequency'):
                    with ui.element('th').props('scope=col'):
                        ui.label(text(key))
            for flow in flows:
                rate = '-' if flow.rate is None else f'{flow.rate:,.1f}/s'
                with ui.element('tr'):
                    for words in (flow.source, flow.topic, flow.target, rate):
                        with ui.element('td'):
                            ui.label(words)

    def _end(self) -> None:
        """Stop counting when the page is closed."""
        if self._topics is not None:
            self.hub.ros.do(self._topics.close)

    async def _refresh(self) -> None:
        self.hub.use(self.link)
        info, status = self.link.info, self.link.status
        roles = tuple(info.roles) if info is not None else ()
        if roles != self._roles:
            self._roles = roles
            self._make_cards()
        if status is not None:
            rate = text('graph.rate', rate=f'{status.step_rate:,.1f}')
            phase = text(_PHASES[status.phase] if self.link.is_alive else 'graph.silent')
            count = status.finished_episodes
            games = text('graph.game' if count == 1 else 'graph.games', count=f'{count:,}')
            tick = text('graph.tick', tick=f'{status.tick:,}')
            parts = [info.name if info else '', phase, rate, games, tick, status.message]
            self.summary.set_text(' · '.join(filter(None, parts)))
            self._fill(status)
        if self.trouble.text != str(self.link.trouble):
            self.trouble.set_text(str(self.link.trouble))
        if self.hub.watch.version != self._seen:
            self._seen = self.hub.watch.version
            self._list_nodes()
        await self._offer_levels()

    def _make_cards(self) -> None:
        self.cards.clear()
        self._labels.clear()
        self._levels.clear()
        game = self.link.info.name.partition('(')[0] if self.link.info else ''
        allows = self.hub.tables.allows_programs
        known = {
            **offer_players(self.hub.folder, game, allows_programs=allows),
            ENVIRONMENT: text('graph.at_random'),
        }
        with self.cards:
            for role in self._roles:
                with ui.card().classes('w-full sm:w-80 gap-1') as card:
                    mark(card, f'role-{role}')
                    with ui.row().classes('w-full items-center'):
                        heading(role)
                        ui.space()
                        ui.link(text('graph.play'), match_path(self.link.namespace, role))
                    for key in ('agent', 'state', 'tally', 'answers'):
                        self._labels[role, key] = ui.label().classes('text-sm break-all')
                    choice = ui.select(
                        known,
                        label=text('graph.replace', role=role),
                        with_input=True,
                        new_value_mode='add-unique',
                    ).classes('w-full')
                    mark(choice, f'swap-{role}')

                    async def swap(_: Any, role: str = role, choice: Any = choice) -> None:
                        await self.hub.swap(self.link, role, str(choice.value or ''))
                        ui.notify(f'{role}: {choice.value}', type='positive')

                    button = ui.button(
                        text('graph.swap', role=role), icon='swap_horiz', on_click=guarded(swap)
                    )
                    mark(button.props('no-caps flat'), f'do-swap-{role}')
                    self._levels[role] = ui.row().classes('w-full items-center no-wrap gap-3')

    def _fill(self, status: Status) -> None:
        for role in status.roles:
            if (role.role, 'agent') not in self._labels:
                continue
            on_topic = ', '.join(self.hub.watch.players(self.link.namespace, role.role))
            state = text(_STATES[role.agent_state])
            if role.is_awaited:
                state = text('graph.to_move', state=state)
            self._set(role.role, 'agent', role.agent or on_topic or text('agent.missing'))
            self._set(role.role, 'state', state)
            tally = {'won': role.wins, 'drawn': role.draws, 'lost': role.losses}
            self._set(role.role, 'tally', text('graph.tally', **_grouped(tally)))
            counts = {
                'strikes': role.strikes,
                'late': role.late_answers,
                'illegal': role.illegal_answers,
                'foreign': role.foreign_answers,
            }
            answers = text('graph.answers', **_grouped(counts))
            self._set(role.role, 'answers', answers)

    def _set(self, role: str, key: str, words: str) -> None:
        label = self._labels[role, key]
        if label.text != words:
            label.set_text(words)

    async def _offer_levels(self) -> None:
        """Give agents that have levels a slider."""
        for role, row in self._levels.items():
            players = self.hub.watch.players(self.link.namespace, role)
            agent = next((name for name in players if name in self.hub.watch.levelled), '')
            if self._levelled.get(role, '') == agent:
                continue
            row.clear()
            try:
                levels = await self.hub.levels(agent, role) if agent else []
            except GuiError:
                # It is about to start, or to end; it is asked again.
                continue
            self._levelled[role] = agent
            if not agent:
                continue
            with row:
                ui.label(text('graph.level')).classes('text-sm')

                async def change(event: Any, agent: str = agent) -> None:
                    await self.hub.set_level(agent, int(event.value))

                slider = ui.slider(
                    min=1, max=max(2, len(levels)), value=len(levels), on_change=guarded(change)
                ).props('label snap markers')
                mark(slider.classes('flex-grow'), f'level-{role}')
                ui.label().classes('text-sm whitespace-nowrap').bind_text_from(
                    slider, 'value', partial(_level_text, dict(levels))
                )

    def _list_nodes(self) -> None:
        self.nodes.clear()
        with self.nodes:
            for name in self.hub.watch.nodes:
                child = self.hub.processes.find(name)
                shown = text('graph.started', name=name) if child is not None else name
                ui.label(shown).classes('text-sm')


def _level_text(rewards: dict[int, float], value: float) -> str:
    reward = f'{rewards.get(int(value), 0.0):.1f}'
    return text('graph.level_reward', level=int(value), reward=reward)


def _grouped(counts: dict[str, int]) -> dict[str, str]:
    return {name: f'{count:,}' for name, count in counts.items()}


async def open_graph(hub: Hub, namespace: str) -> None:
    """Draw the page: of one match, or the matches to choose from."""
    with shell(text('shell.graph')):
        if not namespace and '' not in hub.watch.matches:
            with ui.card():
                heading(text('graph.matches'))
                for found in hub.watch.matches:
                    ui.link(name_match(hub, found), f'/graph?ns={quote(found)}')
                if not hub.watch.matches:
                    ui.label(text('graph.none'))
            if len(hub.watch.matches) != 1:
                return
            namespace = hub.watch.matches[0]
        try:
            GraphPage(hub, await hub.link(namespace)).build()
        except GuiError as error:
            ui.label(str(error)).classes('text-negative')
