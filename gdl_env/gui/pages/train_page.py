"""Training: start, pause and stop runs, see how they learn, compare them."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.shell import guarded, shell
from gdl_env.gui.texts import text
from gdl_env.gui.training.curves import CURVES, chart_options
from gdl_env.gui.training.runs import ListedRun, list_runs
from gdl_env.gui.training.trainings import Training
from gdl_env.language.library import list_games


class TrainPage:
    """One open page."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self._runs: list[str] = []
        self._trainings: tuple[Any, ...] | None = None
        self._stamps: tuple[Any, ...] = ()
        self.charts: dict[str, ui.echart] = {}

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-stretch gap-3'):
            with ui.card().classes('w-full md:w-[26rem]'):
                self._build_form()
            with ui.card().classes('flex-grow min-w-[18rem]'):
                ui.label(text('train.running')).classes('text-lg font-semibold')
                self.running = ui.column().classes('w-full gap-1')
        with ui.card().classes('w-full'):
            with ui.row().classes('w-full items-center gap-3'):
                ui.label(text('train.runs')).classes('text-lg font-semibold')
                self.chosen = (
                    ui.select([], multiple=True, label=text('train.shown'), on_change=self._draw)
                    .classes('min-w-[14rem] flex-grow')
                    .props('use-chips')
                )
            with ui.element('div').classes('w-full grid grid-cols-1 md:grid-cols-2 gap-3'):
                for key in CURVES:
                    self.charts[key] = (
                        ui.echart(chart_options(key, text(CURVES[key]), []))
                        .classes('w-full h-64')
                        .props(f'data-mark=chart-{key}')
                    )
            self.levels = ui.column().classes('w-full gap-0')
        self._refresh()
        ui.timer(1.0, self._refresh)

    def _build_form(self) -> None:
        ui.label(text('train.new')).classes('text-lg font-semibold')
        # The one that is learned in minutes comes first.
        games = sorted((p.stem for p in list_games()), key=lambda n: (n != 'tictactoe', n))
        self.game = ui.select(
            games,
            value=games[0] if games else None,
            label=text('train.game'),
            with_input=True,
        ).classes('w-full')
        with ui.row().classes('w-full gap-3 no-wrap'):
            self.algorithm = ui.select(
                ['rainbow', 'dqn'], value='rainbow', label=text('train.algorithm')
            ).classes('flex-grow')
            self.episodes = ui.number(
                text('train.episodes'), value=3000, min=1, precision=0
            ).classes('w-32')
            self.lanes = ui.number(text('train.lanes'), value=16, min=1, precision=0).classes(
                'w-24'
            )
        self.others = ui.select(
            {
                'learner': text('train.itself'),
                'copy': text('train.copy'),
                'random': text('train.random'),
            },
            value='learner',
            label=text('train.against'),
        ).classes('w-full')
        self.options = ui.input(text('train.options')).classes('w-full')
        self.is_detached = ui.checkbox(text('train.detached'))
        ui.button(text('train.start'), icon='play_arrow', on_click=guarded(self._start)).props(
            'no-caps'
        ).mark('train')

    async def _start(self) -> None:
        training = self.hub.trainings.start(
            game=str(self.game.value or ''),
            algorithm=str(self.algorithm.value),
            episodes=int(self.episodes.value or 0),
            lanes=int(self.lanes.value or 0),
            against=str(self.others.value),
            options=str(self.options.value or ''),
            is_detached=bool(self.is_detached.value),
        )
        ui.notify(text('train.starts', name=training.run.name), type='positive')
        self.chosen.set_value([training.run.name])
        self._refresh()

    # ---- what runs

    def _refresh(self) -> None:
        trainings = tuple((t, t.state) for t in self.hub.trainings.all())
        if trainings != self._trainings:
            self._trainings = trainings
            self.running.clear()
            with self.running:
                if not trainings:
                    ui.label(text('train.nothing')).classes('opacity-70')
                for training, state in trainings:
                    self._row(training, state)
        runs = [run.name for run in list_runs(self.hub.folder)]
        waited = [t.run.name for t in self.hub.trainings.all() if t.run.name not in runs]
        names = [*waited, *runs]
        if names != self._runs:
            self._runs = names
            value = [name for name in self.chosen.value or [] if name in names] or names[:1]
            self.chosen.set_options(names, value=value)
        stamps = tuple((run.name, run.stamp()) for run in self._chosen())
        if stamps != self._stamps:
            self._stamps = stamps
            self._draw()

    def _row(self, training: Training, state: str) -> None:
        with ui.row().classes('w-full items-center gap-2'):
            ui.label(training.run.name).classes('font-medium')
            ui.label(state).classes('text-sm opacity-70 break-all')
            ui.space()
            if not training.is_running:
                return

            async def pause(_: Any) -> None:
                await self.hub.pause_training(training)

            async def stop(_: Any) -> None:
                self.hub.trainings.stop(training)

            ui.button(
                text('train.resume' if training.is_paused else 'train.pause'),
                icon='play_arrow' if training.is_paused else 'pause',
                on_click=guarded(pause),
            ).props('flat dense no-caps').props('data-mark=pause-training')
            ui.button(text('train.stop'), icon='stop', on_click=guarded(stop)).props(
                'flat dense no-caps'
            ).props('data-mark=stop-training')

    # ---- curves

    def _chosen(self) -> list[ListedRun]:
        wanted = set(self.chosen.value or [])
        known = {run.name: run for run in list_runs(self.hub.folder)}
        return [known[name] for name in wanted if name in known]

    def _draw(self) -> None:
        runs = sorted(self._chosen(), key=lambda run: run.name)
        for key, chart in self.charts.items():
            fresh = chart_options(key, text(CURVES[key]), runs)
            if fresh['series'] != chart.options.get('series'):
                chart.options.clear()
                chart.options.update(fresh)
                chart.update()
        self.levels.clear()
        with self.levels:
            for run in runs:
                count = run.snapshots
                words = (
                    text('train.levels', name=run.name, count=count)
                    if count
                    else text('train.no_levels', name=run.name)
                )
                ui.label(words).classes('text-sm')


def open_train(hub: Hub) -> None:
    """Draw the page."""
    with shell(text('shell.train')):
        TrainPage(hub).build()
