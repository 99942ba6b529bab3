"""Trees in flat arrays: selection, attaching of new nodes, back-up of values and proofs.

An arm is a legal move of a role in a node. Where one role decides and nothing is left to chance,
each arm has its child; elsewhere children are found by what is done, in a table.
"""

from __future__ import annotations

import numpy as np

from gdl_env.engine.compiling import compile_kernel

# What is known of a node, bit by bit: its state and arms; that its children were asked for;
# its value, for certain.
READY, OPENED, SOLVED = 1, 2, 4
# Columns of the links of a node: parent, first child, next sibling.
PARENT, CHILD, SIBLING = 0, 1, 2
# Who decides: nobody alone, so that children are found by table.
SEVERAL = -2
# Counters: nodes, arms, entries of the table, outcomes, children asked for, leaves.
NODES, ARMS, ENTRIES, OUTCOMES, WANTED, LEAVES = 0, 1, 2, 3, 4, 5


@compile_kernel(nogil=True)
def draw_word(random):
    """Return the next number of a generator (splitmix64)."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compile_kernel(nogil=True)
def draw_number(random, limit):
    """Return a number from 0 up to but without a limit."""
    return np.int64(((draw_word(random) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@compile_kernel(nogil=True)
def code_of(does):
    """Return a code of what all roles do."""
    code = np.uint64(0xCBF29CE484222325)
    for role in range(does.shape[0]):
        code = (code ^ np.uint64(does[role] + 2)) * np.uint64(0x100000001B3)
        code ^= code >> np.uint64(29)
    return code


@compile_kernel(nogil=True)
def find_child(keys, values, node, code):
    """Return where a child is kept in the table, or would be."""
    mask = keys.shape[0] - 1
    key = (code ^ (np.uint64(node + 1) * np.uint64(0x9E3779B97F4A7C15))) | np.uint64(1)
    place = np.int64((key >> np.uint64(20)) & np.uint64(mask))
    while values[place] >= 0 and keys[place] != key:
        place = (place + 1) & mask
    return place, key


@compile_kernel(nogil=True)
def choose_arm(first, end, arms, flags, total, mode, constant, rave, random):
    """Return the arm with the highest bound.

    mode 0: by the mean and how seldom it was tried (UCB1); mode 1: by the mean and a prior
    (PUCT). Arms are (visits, sums, priors, pending, children, and the visits and sums of games in
    which the same was done later). These count as much as the arm's own, together, when the node
    was visited `rave` times.
    """
    visits, sums, priors, pending, children, late_visits, late_sums = arms
    size = end - first
    if size == 1:
        return first
    best, best_bound = first, -1e300
    # Ties go to any of the arms.
    start = draw_number(random, size)
    log = np.log(max(total, 1.0)) if mode == 0 else 0.0
    root = np.sqrt(total) if mode == 1 else 0.0
    share = np.sqrt(rave / (3.0 * total + rave)) if rave > 0.0 else 0.0
    mean_all, seen = 0.0, 0.0
    if mode == 1:
        for arm in range(first, end):
            mean_all += sums[arm]
            seen += visits[arm]
        mean_all = mean_all / seen if seen > 0 else 0.5
    arm = first + start - 1
    for _ in range(size):
        arm = arm + 1 if arm + 1 < end else first
        count = visits[arm] + pending[arm]
        # There is nothing to learn from what is proven.
        if children[arm] >= 0 and flags[children[arm]] & SOLVED:
            continue
        if mode == 0:
            late = late_visits[arm] if rave > 0.0 else np.float32(0.0)
            if count == 0 and late == 0:
                return arm
            bound = constant * np.sqrt(log / max(count, 1))
            if late == 0:
                bound += sums[arm] / count
            elif count == 0:
                bound += late_sums[arm] / late
            else:
                bound += share * late_sums[arm] / late + (1.0 - share) * sums[arm] / count
        else:
            bound = sums[arm] / count if count > 0 else mean_all - 0.1
            bound += constant * priors[arm] * root / (1.0 + count)
        if bound > best_bound:
            best, best_bound = arm, bound
    return best


@compile_kernel(nogil=True)
def select(
    roots, tree, arms, table, chance, settings, counts, path_nodes, path_arms, lengths, leaves,
    wanted_parent, wanted_does, random,
):  # fmt: skip
    """Go down from each root once; what is reached becomes a leaf, new children are asked for.

    Returns how many roots were served: fewer where the arrays are full.
    """
    flags, starts, decider, _links, visits, codes, _bests = tree
    does_of = chance[1]
    mode, family, most_nodes, constant, nature, rave = settings
    deepest = path_nodes.shape[1]
    roles = starts.shape[1] - 1
    does = np.empty(roles, np.int32)
    chosen = np.empty(roles, np.int32)
    for number in range(roots.shape[0]):
        if counts[LEAVES] + family + roles >= leaves.shape[0]:
            return number
        node = roots[number]
        length = 0
        entry = counts[LEAVES]
        while True:
            if flags[node] & SOLVED or not flags[node] & READY or length == deepest - 1:
                _add_leaf(entry, node, length, lengths, leaves, counts)
                break
            alone = decider[node]
            size = starts[node, roles] - starts[node, 0]
            if not flags[node] & OPENED:
                is_full = counts[NODES] + size > most_nodes
                if is_full:
                    _add_leaf(entry, node, length, lengths, leaves, counts)
                    break
                if alone >= 0 and mode == 0 and size - roles < family:
                    flags[node] |= OPENED
                    _open(
                        node, alone, length, entry, tree, arms, chance, counts, path_nodes,
                        path_arms, lengths, leaves, wanted_parent, wanted_does,
                    )  # fmt: skip
                    break
            child = -1
            place = np.int64(0)
            key = np.uint64(0)
            for role in range(roles):
                first, end = starts[node, role], starts[node, role + 1]
                chosen[role] = -1
                does[role] = -1
                if end > first:
                    if role == nature:
                        arm = first + draw_number(random, end - first)
                    else:
                        total = float(visits[node])
                        arm = choose_arm(
                            first, end, arms, flags, total, mode, constant, rave, random
                        )
                    chosen[role] = arm
                    does[role] = does_of[arm]
                    if does[role] == -2:
                        does[role] = _draw_outcome(arm, chance, random)
            path_nodes[entry, length] = node
            for role in range(roles):
                path_arms[entry, length, role] = chosen[role]
                if chosen[role] >= 0:
                    arms[3][chosen[role]] += 1
            length += 1
            if alone >= 0:
                child = arms[4][chosen[alone]]
            else:
                place, key = find_child(table[0], table[1], node, code_of(does))
                child = table[1][place]
            if child < 0:
                if counts[NODES] >= most_nodes:
                    _add_leaf(entry, node, length, lengths, leaves, counts)
                    break
                child = _add_node(node, does, tree, counts, wanted_parent, wanted_does)
                codes[child] = code_of(does)
                if alone >= 0:
                    arms[4][chosen[alone]] = child
                else:
                    table[0][place] = key
                    table[1][place] = child
                    counts[ENTRIES] += 1
            node = child
    return roots.shape[0]


@compile_kernel(nogil=True)
def _draw_outcome(arm, chance, random):
    """Return what a move becomes whose experiments are drawn."""
    outcome_first, outcome_does, outcome_sums = chance[2], chance[3], chance[4]
    first = outcome_first[arm]
    mark = (draw_word(random) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
    while outcome_sums[first] <= mark and outcome_sums[first] < 1.0:
        first += 1
    return outcome_does[first]


@compile_kernel(nogil=True)
def _add_leaf(entry, node, length, lengths, leaves, counts):
    leaves[entry] = node
    lengths[entry] = length
    counts[LEAVES] += 1


@compile_kernel(nogil=True)
def _add_node(parent, does, tree, counts, wanted_parent, wanted_does):
    flags, _starts, decider, links, visits, _codes, bests = tree
    node = counts[NODES]
    counts[NODES] += 1
    flags[node] = 0
    visits[node] = 0
    decider[node] = -1
    bests[node] = -1
    links[node, PARENT] = parent
    links[node, CHILD] = -1
    links[node, SIBLING] = links[parent, CHILD]
    links[parent, CHILD] = node
    wanted = counts[WANTED]
    wanted_parent[wanted] = parent
    wanted_does[wanted] = does
    counts[WANTED] += 1
    return node


@compile_kernel(nogil=True)
def _open(
    node, alone, length, entry, tree, arms, chance, counts, path_nodes, path_arms, lengths,
    leaves, wanted_parent, wanted_does,
):  # fmt: skip
    """Ask for all children of a node; each is a leaf of its own."""
    _flags, starts, _decider, _links, _visits, codes, _bests = tree
    does_of = chance[1]
    roles = starts.shape[1] - 1
    does = np.empty(roles, np.int32)
    first, end = starts[node, alone], starts[node, alone + 1]
    for arm in range(first, end):
        place = entry + arm - first
        for step in range(length):
            path_nodes[place, step] = path_nodes[entry, step]
            for role in range(roles):
                path_arms[place, step, role] = path_arms[entry, step, role]
                if arm > first and path_arms[entry, step, role] >= 0:
                    arms[3][path_arms[entry, step, role]] += 1
        path_nodes[place, length] = node
        for role in range(roles):
            chosen = starts[node, role] if starts[node, role + 1] > starts[node, role] else -1
            if role == alone:
                chosen = arm
            path_arms[place, length, role] = chosen
            does[role] = -1
            if chosen >= 0:
                arms[3][chosen] += 1
                does[role] = does_of[chosen]
        child = _add_node(node, does, tree, counts, wanted_parent, wanted_does)
        codes[child] = code_of(does)
        arms[4][arm] = child
        _add_leaf(place, child, length + 1, lengths, leaves, counts)


@compile_kernel(nogil=True)
def attach(first_node, starts_of, rows, acting, plain, nature, tree, arms, chance, counts):
    """Give nodes their arms: the legal moves of those who act."""
    flags, starts, decider, _links, _visits, _codes, _bests = tree
    arm_rows, arm_does = chance[0], chance[1]
    roles = starts.shape[1] - 1
    arm = counts[ARMS]
    for i in range(acting.shape[0]):
        node = first_node + i
        alone, deciding, drawn = -1, 0, False
        for role in range(roles):
            starts[node, role] = arm
            if not acting[i, role]:
                continue
            size = starts_of[i, role + 1] - starts_of[i, role]
            for k in range(starts_of[i, role], starts_of[i, role + 1]):
                arm_rows[arm] = rows[k]
                arm_does[arm] = plain[k]
                drawn = drawn or plain[k] == -2
                arms[0][arm] = 0
                arms[1][arm] = 0.0
                arms[2][arm] = 1.0 / size
                arms[3][arm] = 0
                arms[4][arm] = -1
                if len(arms[5]):
                    arms[5][arm] = arms[6][arm] = 0.0
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
        decider[node] = SEVERAL if deciding > 1 or drawn else alone
        flags[node] |= READY
    counts[ARMS] = arm


@compile_kernel(nogil=True)
def back_up(
    count, path_nodes, path_arms, lengths, leaves, values, tree, arms, solved, arm_does, traces
):
    """Add the values of leaves to all arms on their paths, and prove what follows.

    `traces` are rows of bits, of what was done in the games after the leaves; or there are none.
    """
    flags, _starts, decider, _links, visits, _codes, bests = tree
    roles = path_arms.shape[2]
    for entry in range(count):
        leaf = leaves[entry]
        visits[leaf] += 1
        is_proof = flags[leaf] & SOLVED != 0
        for step in range(lengths[entry] - 1, -1, -1):
            node = path_nodes[entry, step]
            visits[node] += 1
            for role in range(roles):
                arm = path_arms[entry, step, role]
                if arm >= 0:
                    arms[0][arm] += 1
                    arms[1][arm] += values[entry, role]
                    arms[3][arm] -= 1
            if len(traces):
                _add_late(entry, node, step, path_arms, values, tree, arms, arm_does, traces)
            # Above, this counts as what is proven, if that is better for who decides here.
            if bests[node] >= 0:
                alone = decider[node]
                if solved[bests[node], alone] > values[entry, alone]:
                    values[entry] = solved[bests[node]]
            if is_proof and not flags[node] & SOLVED:
                is_proof = _prove(node, tree, arms, solved)


@compile_kernel(nogil=True)
def _add_late(entry, node, step, path_arms, values, tree, arms, arm_does, traces):
    """Let all arms of a node learn from a game in which the same was done, now or later."""
    starts = tree[1]
    for role in range(path_arms.shape[2]):
        arm = path_arms[entry, step, role]
        if arm >= 0 and arm_does[arm] >= 0:
            row = arm_does[arm]
            traces[entry, row >> 6] |= np.uint64(1) << np.uint64(row & 63)
        for other in range(starts[node, role], starts[node, role + 1]):
            row = arm_does[other]
            if row >= 0 and (traces[entry, row >> 6] >> np.uint64(row & 63)) & np.uint64(1):
                arms[5][other] += np.float32(1.0)
                arms[6][other] += np.float32(values[entry, role])


@compile_kernel(nogil=True)
def _prove(node, tree, arms, solved):
    """Find out whether the value of a node follows from those of its children."""
    flags, starts, decider, _links, _visits, _codes, bests = tree
    alone = decider[node]
    if alone < 0:
        return False
    best = -1
    complete = True
    for arm in range(starts[node, alone], starts[node, alone + 1]):
        child = arms[4][arm]
        if child < 0 or not flags[child] & SOLVED:
            complete = False
            continue
        if best < 0 or solved[child, alone] > solved[best, alone]:
            best = child
    bests[node] = best
    if best < 0 or not (complete or solved[best, alone] >= 1.0):
        return False
    flags[node] |= SOLVED
    solved[node] = solved[best]
    return True
