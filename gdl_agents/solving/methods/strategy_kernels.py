"""Compiled loops over a game in sequence form."""

from __future__ import annotations

import numpy as np

from gdl_agents.solving.tree.sequence_form import SequenceForm
from gdl_env.compiling import compile_kernel

# How regrets are kept and strategies averaged.
CFR_PLUS, DISCOUNTED, PREDICTIVE = 0, 1, 2
# Of DISCOUNTED: how fast positive and negative regrets are forgotten.
_ALPHA, _BETA = 1.5, 0.0


@compile_kernel(nogil=True)
def plan_strategy(form: SequenceForm, player, strategy, plan):
    """Turn behaviour at information sets into the probabilities of sequences, for one player."""
    plan[form.sequence_start[player]] = 1.0
    for i in range(form.set_start[player], form.set_start[player + 1]):
        reach = plan[form.before[i]]
        for s in range(form.first[i], form.first[i] + form.moves[i]):
            plan[s] = reach * strategy[s]


@compile_kernel(nogil=True)
def find_gradient(form: SequenceForm, player, plan, gradient):
    """Say what each sequence of a player is worth if the others follow their plans."""
    gradient[form.sequence_start[player] : form.sequence_start[player + 1]] = 0.0
    ends, payoff = form.ends, form.payoff
    players = ends.shape[1]
    for z in range(ends.shape[0]):
        worth = payoff[z, player]
        for other in range(players):
            if other != player:
                worth *= plan[ends[z, other]]
        gradient[ends[z, player]] += worth


@compile_kernel(nogil=True)
def respond_best(form: SequenceForm, player, gradient, strategy):
    """Find a best response; return what it is worth. The gradient is used up.

    Where several moves are best, the first of them.
    """
    for i in range(form.set_start[player + 1] - 1, form.set_start[player] - 1, -1):
        first = form.first[i]
        best = first
        for s in range(first, first + form.moves[i]):
            strategy[s] = 0.0
            if gradient[s] > gradient[best]:
                best = s
        strategy[best] = 1.0
        gradient[form.before[i]] += gradient[best]
    return gradient[form.sequence_start[player]]


@compile_kernel(nogil=True)
def _match_regrets(regret, prediction, strategy, first, end, factor):
    total = 0.0
    for s in range(first, end):
        strategy[s] = max(0.0, regret[s] + factor * prediction[s])
        total += strategy[s]
    for s in range(first, end):
        strategy[s] = strategy[s] / total if total > 0.0 else 1.0 / (end - first)


@compile_kernel(nogil=True)
def _learn_regrets(form: SequenceForm, player, rule, number, gradient, tables):
    """Update regrets by what sequences are worth, from the last information sets to the first."""
    strategy, regret, prediction = tables[0], tables[1], tables[2]
    gain = number**_ALPHA / (number**_ALPHA + 1.0)
    loss = number**_BETA / (number**_BETA + 1.0)
    for i in range(form.set_start[player + 1] - 1, form.set_start[player] - 1, -1):
        first, end = form.first[i], form.first[i] + form.moves[i]
        mean = 0.0
        for s in range(first, end):
            mean += strategy[s] * gradient[s]
        gradient[form.before[i]] += mean
        for s in range(first, end):
            more = gradient[s] - mean
            if rule == 1:
                old = regret[s]
                regret[s] = old * (gain if old > 0.0 else loss) + more
            else:
                regret[s] = max(0.0, regret[s] + more)
            prediction[s] = more
        _match_regrets(regret, prediction, strategy, first, end, 1.0 if rule == 2 else 0.0)


@compile_kernel(nogil=True)
def improve(form: SequenceForm, rule, number, count, tables, plan, gradient):
    """Learn from playing through the whole game `count` times, player after player.

    - number: of the first of these iterations, counted from 1
    - tables: (4, S) strategy, regrets, predictions, and the sum of plans, weighted
    """
    total = tables[3]
    for number_now in range(number, number + count):
        weight = float(number_now) if rule == 0 else float(number_now) ** 2
        for player in range(form.ends.shape[1]):
            find_gradient(form, player, plan, gradient)
            _learn_regrets(form, player, rule, float(number_now), gradient, tables)
            plan_strategy(form, player, tables[0], plan)
            for s in range(form.sequence_start[player], form.sequence_start[player + 1]):
                total[s] += weight * plan[s]


@compile_kernel(nogil=True)
def read_average(form: SequenceForm, total, strategy):
    """Turn sums of plans into behaviour at information sets; any move where none was reached."""
    for i in range(form.first.shape[0]):
        first, end = form.first[i], form.first[i] + form.moves[i]
        mass = np.sum(total[first:end])
        for s in range(first, end):
            strategy[s] = total[s] / mass if mass > 0.0 else 1.0 / (end - first)
