"""Public games of one player without chance: what is reached at equal processor time."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import closing
import csv
from pathlib import Path
from time import process_time

from parts import KeptRows, Row
from rows import corpus

from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.players.mcts import MctsAgent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.environment.environment import Environment
from gdl_env.environment.options import Options
from gdl_env.errors import GdlError
from gdl_env.language.game import Game, Information
from gdl_env.language.load import load_game

# The same player, with and without a search of its own for puzzles.
PLAYERS = ('mcts:time={time:g}', 'mcts:time={time:g},puzzles=false')
_SEED = 20_261_119
# Processor time before the first move [s], and moves after which a match is broken off.
_START, _LONGEST = 10.0, 300


def measure_puzzles(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Play one match of every puzzle with each player; what is kept already is left out."""
    SearchAgent.clock = process_time
    known = KeptRows(options.results, lambda row: (row['part'], row['game'], row.get('players')))
    for form in PLAYERS:
        player = form.format(time=options.time)
        for path in list_puzzles():
            chosen = not options.only or any(path.stem.startswith(name) for name in options.only)
            if not chosen or known.find(('puzzles', path.stem, player)):
                continue
            row: Row = {'part': 'puzzles', 'game': path.stem, 'players': player}
            try:
                keep({**row, **play_puzzle(load_game(path), player)})
            except GdlError as error:
                keep({**row, 'error': str(error).split('\n')[0][:200]})


def list_puzzles() -> Iterator[Path]:
    """List the rule files of the corpus with one player, no chance and nothing hidden."""
    index = corpus() / 'INDEX.tsv'
    if not index.exists():
        return
    with index.open(encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file, delimiter='\t', quoting=csv.QUOTE_NONE):
            path = corpus() / row['file']
            if row['players'] == '1' and _is_puzzle(path):
                yield path


def _is_puzzle(path: Path) -> bool:
    try:
        game = load_game(path)
    except GdlError:
        return False
    return (
        len(game.roles) == 1 and game.information is Information.COMPLETE and not game.experiments
    )


def play_puzzle(game: Game, player: str) -> Row:
    """Play a match, and tell what came out."""
    agent = open_agent(player)
    options = Options(1, _SEED, 1, max_steps=_LONGEST)
    assert isinstance(agent, MctsAgent)
    begin = process_time()
    with closing(Environment.open(game, options)) as match:
        agent.begin(match.info(), match.roles, derive_seed(_SEED, game.name))
        opened = process_time()
        row: Row = {'open': opened - begin, 'moves': 0, 'late': 0.0, 'goal': None}
        if match.is_finished:
            return row
        questions = [question for question in match.questions() if question.is_decision]
        if questions:
            agent.ponder(questions[0], lambda: process_time() < opened + _START)
        row['start'] = process_time() - opened
        row |= _describe_plan(agent)
        begin = process_time()
        while not match.is_finished:
            answers = {}
            for question in match.questions():
                asked = process_time()
                answers[question.role] = agent.choose(question)
                row['late'] = max(row['late'], process_time() - asked - agent.seconds_a_move)
                row['moves'] += 1
            step = match.step(answers)
            feedback = step.feedback[match.roles[0]]
            if feedback.is_over[0]:
                row['goal'] = int(feedback.goal[0])
        row['play'] = process_time() - begin
        if agent.puzzle is not None:
            row['rate'] = agent.puzzle.made / max(row['start'] + row['play'], 1e-9)
        agent.end()
        return row


def _describe_plan(agent: MctsAgent) -> Row:
    """Tell what is known before the first move."""
    if agent.puzzle is None:
        return {}
    plan = agent.puzzle.find_plan(agent.table.rules.initial[0])
    most = agent.puzzle.most
    return {'most': most} | ({'planned': plan.goal, 'proven': plan.is_best} if plan else {})
