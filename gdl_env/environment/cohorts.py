"""Lanes in cohorts: parts of a match that are played in ticks of their own.

While the agents decide for one cohort, another is played: so the environment and agents on other
machines work at the same time. All draws belong to (seed, tick, lane), and lanes do not depend on
each other: the record of every lane is the same as without cohorts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from gdl_env.environment.protocol import MatchInfo

if TYPE_CHECKING:
    from gdl_env.environment.options import Options
    from gdl_env.environment.tallies import Tallies


def split_lanes(lanes: int, cohorts: int) -> list[range]:
    """Return the lanes of each cohort: as equal as can be. Raises OptionsError."""
    if not 1 <= cohorts <= lanes:
        # Agents start without options of the environment, and what these import.
        from gdl_env.environment.options import OptionsError

        raise OptionsError(f'{lanes} lanes cannot be split into {cohorts} cohorts')
    bounds = [number * lanes // cohorts for number in range(cohorts + 1)]
    return [range(first, end) for first, end in pairwise(bounds)]


def split_options(options: Options, cohorts: int) -> list[Options]:
    """Return the options of the environment of each cohort. Raises OptionsError."""
    return [
        replace(options, lanes=len(part), first_lane=part.start, all_lanes=options.lanes)
        for part in split_lanes(options.lanes, cohorts)
    ]


def info_of_cohort(info: MatchInfo, cohort: int) -> MatchInfo:
    """Return the match as its cohort of this number sees it."""
    part = split_lanes(info.lanes, info.cohorts)[cohort]
    return replace(info, lanes=len(part), cohorts=1, first_lane=part.start)


def join_tallies(parts: Iterable[Tallies]) -> Tallies:
    """Return how all cohorts together fare."""
    found, *others = parts
    if not others:
        return found
    total = type(found).restored(found.snapshot())
    for part in others:
        total.add(part)
    return total
