"""The model card of a run: what was trained, how, and how well it plays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from gdl_agents.learning.levels.reward_levels import Level
from gdl_agents.learning.training.config import TrainingConfig
from gdl_env.environment.score import Score

_CARD = """\
# {name}

A player of **{game}**, trained by `{verb}` with {algorithm}, mode `{mode}`,
{episodes:,} episodes, seed {seed}. Network: {network}.

## Against {judge}

| seat | games | won | drawn | lost | mean reward |
|---|---:|---:|---:|---:|---:|
{scores}

Shares with 95 % intervals; goals 0, 50 and 100 are rewards of -10, 0 and 10. The strongest
snapshot played.
{proofs}
![learning curve](learning_curve.png)

## Difficulty levels

| level | wanted | Elo above random play | reward against it | made of |
|---:|---:|---:|---:|---|
{levels}

## Use

```bash
gdl eval {game} {agent}:{path} random
gdl levels {path}
```

`{agent}:{path}@3` plays level 3. `config.yaml` holds all options; `{verb} {again} {path}`
resumes the run.
"""


def write_card(
    path: str,
    config: TrainingConfig,
    episodes: int,
    network: str,
    scores: Mapping[str, Score],
    levels: list[Level],
    proofs: Sequence[object] = (),
    verb: str = 'gdl train',
) -> str:
    """Return the text of a card.

    - episodes: those that were played, which may be none if time was short
    """
    return _CARD.format(
        name=path,
        verb=verb,
        again='--resume' if verb == 'gdl train' else '--run',
        path=path,
        game=config.game,
        algorithm=config.algorithm,
        agent=config.algorithm,
        mode=config.mode,
        episodes=episodes,
        seed=config.seed,
        network=network,
        judge='random players' if config.judge == 'random' else f'`{config.judge}`',
        proofs=_proof_lines(proofs),
        scores='\n'.join(_score_row(role, score) for role, score in scores.items()),
        levels='\n'.join(_level_row(level) for level in levels),
    )


def _proof_lines(proofs: Sequence[object]) -> str:
    """Return what was found by playing all games; '' where there are too many."""
    if not proofs:
        return ''
    told = '\n'.join(f'- {proof}' for proof in proofs)
    return f'\n## Against every play\n\nAll games were played, against every reply:\n\n{told}\n'


def _score_row(role: str, score: Score) -> str:
    cells = [f'{share:.1%} ({low:.1%} to {high:.1%})' for share, low, high in score.shares()]
    return f'| {role} | {score.games} | {" | ".join(cells)} | {score.reward:.2f} |'


def _level_row(level: Level) -> str:
    about = level.snapshot.about
    elo = f'{level.elo:.0f}' if isfinite(level.elo) else '-'
    wanted = f'{level.target:.0f} Elo' if isfinite(level.elo) else f'reward {level.target:.2f}'
    return f'| {level.number} | {wanted} | {elo} | {about.reward:.2f} | {level.made_of} |'
