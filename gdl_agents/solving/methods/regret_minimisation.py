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
from gdl_agents.solving.exploiting.exploitability import (
    Exploitability,
    Strategy,
    find_plan,
    measure_exploitability,
    uniform_strategy,
)
from gdl_agents.solving.methods.strategy_kernels import (
    CFR_PLUS,
    DISCOUNTED,
    PREDICTIVE,
    improve,
    read_average,
)
from gdl_agents.solving.tree.sequence_form import SequenceForm

RULES = {'cfr+': CFR_PLUS, 'discounted': DISCOUNTED, 'predictive': PREDICTIVE}
# The two of them that are best in different games, side by side.
AUTO = 'auto'
_RACE = ('discounted', 'predictive')
# Iterations before the first look at the result, and by which factor there are more before each
# next one; and the entries that are gone through before the time is looked at.
_FIRST_LOOK, _GROWTH = 16, 1.5
_ENTRIES = 20_000_000


@dataclass(frozen=True)
class Equilibrium:
    """The average strategy, and how far it is from an equilibrium."""

    strategy: Strategy
    exploitability: Exploitability
    rule: str
    iterations: int
    # Processor time [s].
    seconds: float


def minimise_regret(
    form: SequenceForm, rule: str, *, target: float, seconds: float, most: int = 1_000_000
) -> Equilibrium:
    """Improve strategies until NashConv (in goals) is at most `target`, or the time is up.

    `most` limits the iterations. Raises SolvingError for an unknown rule.
    """
    if rule not in RULES and rule != AUTO:
        raise SolvingError(f'no rule {rule!r}; rules: {", ".join((AUTO, *RULES))}')
    started = process_time()
    runners = [_Runner(form, name) for name in (_RACE if rule == AUTO else (rule,))]
    best = runners[0]
    done = 0
    while best.found.nash_conv > target and done < most and process_time() - started < seconds:
        done += min(most - done, max(_FIRST_LOOK, int(done * (_GROWTH - 1))))
        for runner in runners:
            runner.improve(done, started + seconds)
        best = min(runners, key=lambda runner: runner.found.nash_conv)
    spent = process_time() - started
    return Equilibrium(best.average, best.found, best.rule, best.done, spent)


class _Runner:
    """One rule at work."""

    def __init__(self, form: SequenceForm, rule: str) -> None:
        self._form = form
        self.rule = rule
        self._tables = np.zeros((4, form.sequences))
        self._tables[0] = uniform_strategy(form)
        self._plan = find_plan(form, self._tables[0])
        self._gradient = np.zeros(form.sequences)
        self.average = self._tables[0].copy()
        self.found = measure_exploitability(form, self.average)
        self.done = 0

    def improve(self, wanted: int, until: float) -> None:
        """Go on until so many iterations are done, or the time is up; measure the result."""
        form = self._form
        share = max(1, _ENTRIES // (form.sequences + len(form.ends)))
        while self.done < wanted and process_time() < until:
            count = min(share, wanted - self.done)
            first = self.done + 1
            improve(form, RULES[self.rule], first, count, self._tables, self._plan, self._gradient)
            self.done += count
        average = np.ones_like(self.average)
        read_average(form, self._tables[3], average)
        found = measure_exploitability(form, average)
        # The last look may have been better.
        if found.nash_conv < self.found.nash_conv:
            self.average, self.found = average, found
