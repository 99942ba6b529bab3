"""Trees in flat arrays: which arms are chosen in a node, and arms for new nodes.

An arm is a legal move of a role in a node. Where one role decides and nothing is left to chance,
each arm has its child; elsewhere children are found by what is done, in a table. The arrays are
described in `tree_records`.
"""

from __future__ import annotations

import numpy as np

from gdl_agents.search.tree.improving_kernels import choose_improved
from gdl_agents.search.tree.tree_records import (
    ARMS,
    ASKED,
    IMPROVED,
    JUDGED,
    MIXED,
    ONE_OF,
    PUCT,
    READY,
    SEVERAL,
    SOLVED,
    UCB,
)
from gdl_env.compiling import compile_kernel
from gdl_env.engine.batch.experiments import DRAWN
from gdl_env.play.chance import STEP, below, mix


@compile_kernel(nogil=True)
def draw_word(random):
    """Return the next word of a generator, whose counter is random[0]."""
    random[0] += STEP
    return mix(random[0])


@compile_kernel(nogil=True)
def draw_number(random, limit):
    """Return a number from 0 up to but without a limit."""
    return np.int64(below(draw_word(random), limit))


@compile_kernel(nogil=True)
def code_of(does):
    """Return a code of what all roles do."""
    code = np.uint64(0xCBF29CE484222325)
    for role in range(does.shape[0]):
        code = (code ^ np.uint64(does[role] + 2)) * np.uint64(0x100000001B3)
        code ^= code >> np.uint64(29)
    return code


@compile_kernel(nogil=True)
def find_child(table, node, code):
    """Return where a child is kept in the table, or would be, and its key."""
    mask = table.shape[0] - 1
    key = (code ^ (np.uint64(node + 1) * STEP)) | np.uint64(1)
    place = np.int64((key >> np.uint64(20)) & np.uint64(mask))
    while table[place].child >= 0 and table[place].key != key:
        place = (place + 1) & mask
    return place, key


@compile_kernel(nogil=True, inline='always')
def choose_arm(first, end, total, nodes, arms, settings, mode, random):
    """Return the arm with the highest bound, from `first` up to `end`.

    By UCB1, or by PUCT (`mode`); `total` is how often these arms were chosen from. With `rave`,
    games in which the same was done later count, too.
    """
    size = end - first
    if size == 1:
        return first
    best, best_bound = first, -1e300
    # Ties go to any of the arms.
    start = draw_number(random, size)
    rave = settings.rave
    log = np.log(max(total, 1.0)) if mode == UCB else 0.0
    root = np.sqrt(total) if mode == PUCT else 0.0
    share = np.sqrt(rave / (3.0 * total + rave)) if rave > 0.0 else 0.0
    weight = settings.judge_exploration if settings.mode == MIXED else settings.exploration
    mean_all, seen = 0.0, 0.0
    if mode == PUCT:
        for arm in range(first, end):
            mean_all += arms[arm].sum
            seen += arms[arm].visits
        mean_all = mean_all / seen if seen > 0 else 0.5
    arm = first + start - 1
    for _ in range(size):
        arm = arm + 1 if arm + 1 < end else first
        count = arms[arm].visits + arms[arm].pending
        child = arms[arm].child
        # There is nothing to learn from what is proven.
        if child >= 0 and nodes[child].flags & SOLVED:
            continue
        if mode == UCB:
            late = arms[arm].late_visits if rave > 0.0 else np.float32(0.0)
            if count == 0 and late == 0:
                return arm
            bound = settings.exploration * np.sqrt(log / max(count, 1))
            if late == 0:
                bound += arms[arm].sum / count
            elif count == 0:
                bound += arms[arm].late_sum / late
            else:
                own = arms[arm].sum / count
                bound += share * arms[arm].late_sum / late + (1.0 - share) * own
        else:
            bound = arms[arm].sum / count if count > 0 else mean_all - 0.1
            bound += weight * arms[arm].prior * root / (1.0 + count)
        if bound > best_bound:
            best, best_bound = arm, bound
    return best


@compile_kernel(nogil=True, inline='always')
def choose_arms(node, tree, settings, random, chosen):
    """Choose an arm for each role that acts in a node, and draw what it does."""
    nodes, _states, starts, solved, arms, _table, outcomes, _counts = tree
    mover = -1
    if nodes[node].flags & ONE_OF:
        mover = _draw_mover(starts[node], random)
    mode = settings.mode
    if mode == MIXED:
        mode = PUCT if nodes[node].flags & JUDGED else UCB
    for role in range(chosen.arms.shape[0]):
        first, end = starts[node, role], starts[node, role + 1]
        chosen.arms[role] = -1
        chosen.does[role] = -1
        if end == first or (mover >= 0 and role != mover):
            continue
        if role == settings.nature:
            arm = first + draw_number(random, end - first)
        elif mode == IMPROVED:
            arm = choose_improved(first, end, solved[node, role], nodes, arms, settings)
        else:
            total = float(nodes[node].visits)
            if mover >= 0:
                # Visits in which others moved say nothing about these arms.
                total = float(_count_tries(first, end, arms))
            arm = choose_arm(first, end, total, nodes, arms, settings, mode, random)
        chosen.arms[role] = arm
        chosen.does[role] = arms[arm].does
        if chosen.does[role] == DRAWN:
            chosen.does[role] = _draw_outcome(arms[arm].outcome, outcomes, random)


@compile_kernel(nogil=True)
def force_arms(forced, arms, outcomes, random, chosen):
    """Let roles take the arms that are asked for, and draw what they do."""
    for role in range(forced.shape[0]):
        if forced[role] >= 0:
            chosen.arms[role] = forced[role]
            chosen.does[role] = arms[forced[role]].does
            if chosen.does[role] == DRAWN:
                chosen.does[role] = _draw_outcome(arms[forced[role]].outcome, outcomes, random)


@compile_kernel(nogil=True)
def _count_tries(first, end, arms):
    """Return how often arms were taken, with or without a result."""
    count = 0
    for arm in range(first, end):
        count += arms[arm].visits + arms[arm].pending
    return count


@compile_kernel(nogil=True)
def _draw_mover(starts, random):
    """Return one of the roles with arms, all equally likely."""
    count = 0
    for role in range(starts.shape[0] - 1):
        count += starts[role + 1] > starts[role]
    skip = draw_number(random, count)
    for role in range(starts.shape[0] - 1):
        if starts[role + 1] > starts[role]:
            if skip == 0:
                return role
            skip -= 1
    return -1


@compile_kernel(nogil=True)
def _draw_outcome(first, outcomes, random):
    """Return what a move becomes whose experiments are drawn; its outcomes begin at `first`."""
    mark = (draw_word(random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    while outcomes[first].sum <= mark and outcomes[first].sum < 1.0:
        first += 1
    return outcomes[first].does


@compile_kernel(nogil=True)
def attach(chosen, moves, nature, tree):
    """Give nodes their arms: the legal moves of those who act."""
    nodes, _states, starts, _solved, arms, _table, _outcomes, counts = tree
    roles = starts.shape[1] - 1
    arm = counts[ARMS]
    for i in range(moves.acting.shape[0]):
        node = chosen[i]
        alone, deciding, drawn = -1, 0, False
        for role in range(roles):
            starts[node, role] = arm
            if not moves.acting[i, role]:
                continue
            size = moves.starts[i, role + 1] - moves.starts[i, role]
            for k in range(moves.starts[i, role], moves.starts[i, role + 1]):
                arms[arm].row = moves.rows[k]
                arms[arm].does = moves.does[k]
                drawn = drawn or moves.does[k] == DRAWN
                arms[arm].visits = 0
                arms[arm].sum = 0.0
                arms[arm].prior = 1.0 / size
                arms[arm].pending = 0
                arms[arm].child = -1
                arms[arm].late_visits = 0.0
                arms[arm].late_sum = 0.0
                arm += 1
            if role == nature:
                drawn = drawn or size > 1
                if alone < 0:
                    alone = role
            elif size > 1:
                deciding += 1
                alone = role
            elif alone < 0 or (alone == nature and deciding == 0):
                alone = role
        starts[node, roles] = arm
        drawn = drawn or nodes[node].flags & ONE_OF != 0
        nodes[node].decider = SEVERAL if deciding > 1 or drawn else alone
        nodes[node].flags = (nodes[node].flags | READY) & ~ASKED
    counts[ARMS] = arm


@compile_kernel(nogil=True)
def list_moves(chosen, most, tree, parents, does):
    """List what is done by each arm of nodes in which one role decides; return how many.

    Only of nodes with up to so many arms of that role, whose values are not certain.

    - parents: the node of each entry
    - does: (entries, R) what the roles do; -1 before
    """
    nodes, starts, arms = tree.nodes, tree.starts, tree.arms
    count = 0
    for node in chosen:
        alone = nodes[node].decider
        if alone < 0 or nodes[node].flags & SOLVED:
            continue
        first, end = starts[node, alone], starts[node, alone + 1]
        if end - first > most:
            continue
        for arm in range(first, end):
            parents[count] = node
            for role in range(does.shape[1]):
                if starts[node, role + 1] > starts[node, role]:
                    does[count, role] = arms[starts[node, role]].does
            does[count, alone] = arms[arm].does
            count += 1
    return count
