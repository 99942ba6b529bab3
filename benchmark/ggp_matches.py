"""Matches of our player against bots of OpenSpiel at equal processor time, on public games."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from contextlib import closing
from time import process_time

from arena_cells import interval
from parts import Row
from rows import corpus

from gdl_agents.learning.training.evaluation import Arena
from gdl_agents.players.draws import derive_seed
from gdl_agents.registry import open_agent
from gdl_agents.search.players.player import SearchAgent
from gdl_env.environment.environment import Environment
from gdl_env.language.game import Game
from gdl_env.language.load import load_game

GAMES = ('connectFour', 'breakthroughSmall', 'reversi', 'pentago')
_SEED = 20_261_119
# Steps after which a match is broken off.
_LONGEST = 500
# Simulations to find out how long one takes.
_TRIED = 20


def measure_matches(options: Namespace, keep: Callable[[Row], None]) -> None:
    """Play as many matches on both seats; results are kept after each."""
    # What else runs on the machine takes nothing from either.
    SearchAgent.clock = process_time
    for name in options.only or GAMES:
        path = next(iter(sorted((corpus() / 'games').glob(f'{name}-*.kif'))), None)
        if path is None:
            continue
        game = load_game(path)
        simulations = max(1, round(options.time / _time_simulation(game)))
        ours, theirs = f'mcts:time={options.time:g}', f'openspiel:mcts,simulations={simulations}'
        row: Row = {'part': 'matches', 'game': path.stem, 'players': f'{ours} {theirs}'}
        row |= {'result': [0, 0, 0], 'seconds': [0.0, 0.0], 'moves': [0, 0]}
        for number in range(options.games):
            play_match(game, number, (ours, theirs), row)
            wins, draws, losses = row['result']
            row['interval'] = interval(wins, losses, wins + draws + losses)
            keep(row)


def _time_simulation(game: Game) -> float:
    """Return the processor time of one simulation from the beginning [s]."""
    agent = open_agent(f'openspiel:mcts,simulations={_TRIED}')
    with closing(Environment.open(game)) as environment:
        role = environment.awaited[0]
        agent.begin(environment.info(), (role,), 1)
        question = environment.question(role)
        agent.choose(question)
        begin = process_time()
        agent.choose(question)
        return (process_time() - begin) / _TRIED


def play_match(game: Game, number: int, players: tuple[str, str], row: Row) -> None:
    """Play a match; we have the first seat every other time."""
    seat = number % 2
    arena = Arena(game, 1, max_steps=_LONGEST)
    agents = [open_agent(player) for player in players]
    for place, agent in enumerate(agents):
        _measure(agent, place, row)
    by_role = {role: agents[(k + seat) % 2] for k, role in enumerate(arena.roles)}
    scores = arena.play(by_role, 1, derive_seed(_SEED, f'{game.name} {number}'))
    score = scores[arena.roles[seat]]
    for place, count in enumerate((score.wins, score.draws, score.losses)):
        row['result'][place] += count


def _measure(agent: object, place: int, row: Row) -> None:
    """Add up the processor time of an agent's answers."""
    choose = agent.choose  # type: ignore[attr-defined]

    def answer(question: object) -> object:
        begin = process_time()
        found = choose(question)
        row['seconds'][place] += process_time() - begin
        row['moves'][place] += 1
        return found

    agent.choose = answer  # type: ignore[attr-defined]
