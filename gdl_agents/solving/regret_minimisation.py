"""Counterfactual regret minimisation on a game in sequence form: CFR+ and what is better.

- `cfr+`: negative regrets are forgotten, later strategies count more (Tammelin 2014)
- `discounted`: regrets fade, positive and negative ones at different speeds (Brown, Sandholm 2019)
- `predictive`: the last regret is taken for the next one, too (Farina, Kroer, Sandholm 2021)

Players learn in turn. The average strategy of two players approaches an equilibrium where their
goals always add up to the same; in other games nothing is guaranteed, and NashConv says how far
the result is from one.
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

import numpy as np

from gdl_agents.solving.errors import SolvingError
from gdl_agents.solving.exploitability import (
    Exploitability,
    Strategy,
    find_plan,
    measure_exploitability,
    uniform_strategy,
)
from gdl_agents.solving.sequence_form import SequenceForm
from gdl_agents.solving.strategy_kernels import (
    CFR_PLUS,
    DISCOUNTED,
    PREDICTIVE,
    improve,
    read_average,
)

RULES = {'cfr+': CFR_PLUS, 'discounted': DISCOUNTED, 'predictive': PREDICTIVE}
# Iterations before the first look at the result, and how many more before each next one.
_FIRST_LOOK, _GROWTH = 16, 1.5


@dataclass(frozen=True)
class Solution:
    """The average strategy, and how far it is from an equilibrium."""

    strategy: Strategy
    exploitability: Exploitability
    iterations: int
    # Processor time [s].
    seconds: float


def minimise_regret(
    form: SequenceForm, rule: str, *, target: float, seconds: float, most: int = 1_000_000
) -> Solution:
    """Improve strategies until NashConv (in goals) is at most `target`, or the time is up.

    `most` limits the iterations. Raises SolvingError for an unknown rule.
    """
    if rule not in RULES:
        raise SolvingError(f'no rule {rule!r}; rules: {", ".join(RULES)}')
    started = process_time()
    tables = np.zeros((4, form.sequences))
    tables[0] = uniform_strategy(form)
    plan, gradient = find_plan(form, tables[0]), np.zeros(form.sequences)
    average = tables[0].copy()
    found = measure_exploitability(form, average)
    done = 0
    while found.nash_conv > target and done < most and process_time() - started < seconds:
        count = min(most - done, max(_FIRST_LOOK, int(done * (_GROWTH - 1))))
        done = _improve(form, RULES[rule], done, count, tables, plan, gradient, started + seconds)
        read_average(form, tables[3], average)
        found = measure_exploitability(form, average)
    return Solution(average, found, done, process_time() - started)


def _improve(form, rule, done, count, tables, plan, gradient, until):
    step = max(1, min(count, 50_000_000 // (1 + form.sequences + len(form.ends)) // 100))
    end = done + count
    while done < end and process_time() < until:
        step = min(step, end - done)
        improve(form, rule, done + 1, step, tables, plan, gradient)
        done += step
    return done
