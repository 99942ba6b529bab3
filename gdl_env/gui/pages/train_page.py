"""Training: start, pause and stop runs, see how they learn, compare them."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from gdl_env.gui.hub import Hub
from gdl_env.gui.pages.shell import guarded, heading, mark, shell
from gdl_env.gui.texts import text
from gdl_env.gui.training.curves import CURVES, SOMETIMES, chart_options
from gdl_env.gui.training.runs import ListedRun, list_runs
from gdl_env.gui.training.trainings import Training
from gdl_env.gui.views import list_titles


class TrainPage:
    """One open page."""

    def __init__(self, hub: Hub, game: str) -> None:
        self.hub = hub
        self._wanted = game
        self._runs: list[str] = []
        self._trainings: tuple[Any, ...] | None = None
        # What is said of the progress of each training: words, bar, news.
        self._told: dict[str, tuple[ui.label, ui.linear_progress, ui.label]] = {}
        self._stamps: tuple[Any, ...] = ()
        self.charts: dict[str, ui.echart] = {}

    def build(self) -> None:
        """Make the elements."""
        with ui.row().classes('w-full items-stretch gap-3'):
            with ui.card().classes('w-full md:w-[26rem]'):
                self._build_form()
            with ui.card().classes('flex-grow min-w-[18rem]'):
                heading(text('train.running'))
                self.running = ui.column().classes('w-full gap-1')
        with ui.card().classes('w-full'):
            with ui.row().classes('w-full items-center gap-3'):
                heading(text('train.runs'))
                self.chosen = (
                    ui.select([], multiple=True, label=text('train.shown'), on_change=self._draw)
                    .classes('min-w-[14rem] flex-grow')
                    .props('use-chips')
                )
            self.none = ui.label(text('train.no_runs')).classes('opacity-70')
            with ui.element('div').classes('w-full grid grid-cols-1 md:grid-cols-2 gap-3'):
                for key in CURVES:
                    self.charts[key] = (
                        ui.echart(chart_options(key, text(CURVES[key]), []))
                        .classes('w-full h-64')
                        .props(f'data-mark=chart-{key}')
                    )
            self.levels = ui.column().classes('w-full gap-0')
        self._draw()
        self._refresh()
        ui.timer(1.0, self._refresh)

    def _build_form(self) -> None:
        heading(text('train.new'))
        games = list_titles()
        # The one that is learned in minutes.
        usual = 'tictactoe' if 'tictactoe' in games else next(iter(games), None)
        self.game = ui.select(
            games,
            value=self._wanted if self._wanted in games else usual,
            label=text('train.game'),
            with_input=True,
        ).classes('w-full')
        self.algorithm = ui.select(
            ['rainbow', 'dqn'], value='rainbow', label=text('train.algorithm')
        ).classes('w-full')
        with ui.row().classes('w-full gap-3 no-wrap'):
            self.episodes = ui.number(text('train.episodes'), value=3000, min=1, precision=0)
            self.lanes = ui.number(text('train.lanes'), value=16, min=1, precision=0)
            for field in (self.episodes, self.lanes):
                field.classes('grow basis-0 min-w-0')
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
            self._told.clear()
            with self.running:
                if not trainings:
                    ui.label(text('train.nothing')).classes('opacity-70')
                for training, state in trainings:
                    self._row(training, state)
        for training, _ in trainings:
            self._show_progress(training)
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
            ui.label(state).classes('text-sm opacity-80 break-all')
            ui.space()
            if training.is_running:
                self._add_buttons(training)
        self._add_progress(training)

    def _add_buttons(self, training: Training) -> None:
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

    def _add_progress(self, training: Training) -> None:
        bar = ui.linear_progress(0, show_value=False).props('rounded')
        bar.props['aria-label'] = text('train.progress', name=training.run.name)
        words = ui.label().classes('text-sm opacity-80')
        news = ui.label().classes('text-sm font-medium gt-good')
        mark(news, 'news')
        self._told[training.run.name] = words, bar, news

    def _show_progress(self, training: Training) -> None:
        words, bar, news = self._told[training.run.name]
        progress = training.run.progress()
        bar.set_visibility(progress is not None and training.is_running)
        if progress is not None:
            bar.set_value(round(progress.share, 3))
            counts = {'done': f'{progress.episodes:,}', 'planned': f'{progress.planned:,}'}
            told = text('train.done', **counts)
            if training.is_running and progress.seconds_left is not None:
                told += f' · {_describe_time(progress.seconds_left)}'
            words.set_text(told)
        news.set_text(' · '.join(training.news))

    # ---- curves

    def _chosen(self) -> list[ListedRun]:
        wanted = set(self.chosen.value or [])
        known = {run.name: run for run in list_runs(self.hub.folder)}
        return [known[name] for name in wanted if name in known]

    def _draw(self) -> None:
        runs = sorted(self._chosen(), key=lambda run: run.name)
        self.none.set_visibility(not self.chosen.value)
        for key, chart in self.charts.items():
            is_known = key not in SOMETIMES or any(run.has_curve(key) for run in runs)
            chart.set_visibility(bool(runs) and is_known)
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
                for proved in run.news():
                    ui.label(proved).classes('text-sm font-medium gt-good')


def _describe_time(seconds: float) -> str:
    """Return how long something takes, roughly."""
    if seconds < 60:
        return text('train.seconds_left', count=max(1, round(seconds)))
    if seconds < 5400:
        return text('train.minutes_left', count=round(seconds / 60))
    return text('train.hours_left', count=round(seconds / 3600, 1))


def open_train(hub: Hub, game: str = '') -> None:
    """Draw the page."""
    with shell(text('shell.train')):
        TrainPage(hub, game).build()
