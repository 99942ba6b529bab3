"""Draws of the states that a player may be in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gdl_agents.search.players.task import SearchTask


def sample_states(task: SearchTask, count: int) -> SearchTask:
    """Return a task with `count` states for each lane, drawn by their weights, evenly spread."""
    generator = np.random.Generator(np.random.Philox(key=task.key))
    chosen = []
    for lane in range(len(task.lanes)):
        own = np.flatnonzero(task.owner == lane)
        if len(own) > count:
            sums = np.cumsum(task.weight[own])
            marks = (np.arange(count) + generator.random()) / count * sums[-1]
            own = own[np.minimum(np.searchsorted(sums, marks), len(own) - 1)]
        else:
            # All of them, the likely ones more often.
            copies = np.maximum(1, np.round(task.weight[own] * count)).astype(np.int64)
            own = np.repeat(own, copies)
        chosen.append(own)
    rows = np.concatenate(chosen)
    owner = task.owner[rows]
    weight = 1.0 / np.bincount(owner, minlength=len(task.lanes))[owner]
    return replace(task, states=task.states[rows], owner=owner, weight=weight)


def keep_likeliest(task: SearchTask) -> SearchTask:
    """Return a task with one state for each lane: the likeliest."""
    if task.is_exact:
        return task
    order = np.lexsort((-task.weight, task.owner))
    rows = order[np.searchsorted(task.owner, np.arange(len(task.lanes)))]
    every = np.arange(len(task.lanes))
    return replace(task, states=task.states[rows], owner=every, weight=np.ones(len(every)))


def draw_owned(
    task: SearchTask, lane: NDArray[np.int64], chance: np.random.Generator
) -> NDArray[np.int64]:
    """Draw a state for each entry of a list of lanes, by the weights of their states."""
    if task.is_exact:
        return lane
    sums = np.cumsum(task.weight)
    ends = np.searchsorted(task.owner, np.arange(len(task.lanes)), side='right')
    before = np.concatenate([[0.0], sums])[np.concatenate([[0], ends[:-1]])]
    total = sums[ends - 1] - before
    marks = before[lane] + chance.random(len(lane)) * total[lane]
    picked = np.searchsorted(sums, marks, side='right')
    first = np.concatenate([[0], ends[:-1]])
    chosen: NDArray[np.int64] = np.clip(picked, first[lane], ends[lane] - 1)
    return chosen
