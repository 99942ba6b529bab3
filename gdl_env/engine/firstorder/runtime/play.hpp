// Questions about the current state, and games of random moves.

typedef Array<int> Words;

// xoshiro256** of Blackman and Vigna, started by splitmix64.
struct Random {
    uint64_t state[4];

    Random(uint64_t seed, uint64_t stream) {
        uint64_t x = seed ^ scramble(stream + 0x9E3779B97F4A7C15ULL);
        for (uint64_t& word : state) word = scramble(x += 0x9E3779B97F4A7C15ULL);
    }

    uint64_t next() {
        const uint64_t result = rotate(state[1] * 5, 7) * 9, shifted = state[1] << 17;
        state[2] ^= state[0];
        state[3] ^= state[1];
        state[1] ^= state[2];
        state[0] ^= state[3];
        state[2] ^= shifted;
        state[3] = rotate(state[3], 45);
        return result;
    }

    // A number from 0 to bound - 1, each equally likely.
    uint64_t below(uint64_t bound) {
        const uint64_t reject = (0 - bound) % bound;
        for (;;) {
            const uint64_t drawn = next();
            if (drawn >= reject) return drawn % bound;
        }
    }

  private:
    static uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }
    static uint64_t scramble(uint64_t x) {
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
        x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
        return x ^ x >> 31;
    }
};

// ---- the current state

static void forget_moves(Game& g) {
    if (g.moves.n == 0) return;
    g.moves.clear();
    ++g.move_clock;
}

static void set_moves(Game& g, const int* moves, int count) {
    g.moves.clear();
    ++g.move_clock;
    for (int i = 0; i < count; ++i) g.moves.put(moves[2 * i], moves[2 * i + 1]);
}

// Facts of any kind, for rules that ask for them as (true ?f).
static void note_all(Game& g) {
    if (!NEEDS_ALL) return;
    Words facts;
    list_facts(g, *g.now, facts);
    for (size_t i = 0; i < facts.size; ++i) g.now->all.put(facts[i]);
}

static void load(Game& g, const int* facts, int count) {
    g.is_loaded = false;
    g.now->clear();
    for (int i = 0; i < count; ++i) {
        if (!g.terms.is_term(facts[i])) g.fail("a fact of the state is unknown");
        add_fact(g, *g.now, facts[i]);
    }
    note_all(g);
    g.moves.clear();
    ++g.state_clock;
    ++g.move_clock;
    g.is_loaded = true;
}

// After a failure nothing that was being computed can be trusted.
static void forget(Game& g) {
    ++g.static_clock;
    ++g.state_clock;
    ++g.move_clock;
    for (Scope*& scope : g.scopes) scope = nullptr;
}

static void sort_terms(const Game& g, int* first, int* last) {
    std::sort(first, last, [&](int a, int b) { return g.terms.compare(a, b) < 0; });
}

static bool is_idle(const int* moves, int count) {
    for (int i = 0; i < count; ++i)
        if (moves[2 * i + 1] != NOOP) return false;
    return true;
}

// The goal of a role as a term: the largest of several, NONE without any. Other values than 0 to
// 100 are no goals.
static int goal_of(Game& g, int role, Words& found) {
    found.size = 0;
    ask_goal(g, role, found);
    int best = NONE;
    int64_t most = 0, value = 0;
    for (size_t i = 0; i < found.size; ++i) {
        if (!g.terms.integer(found[i], value) || value < 0 || value > 100) continue;
        if (best != NONE && value <= most) continue;
        best = found[i];
        most = value;
    }
    return best;
}

// ---- chance

static void check_weights(Game& g, const Words& events) {
    int64_t weight = 0;
    for (size_t i = 0; i < events.size; i += 3) {
        if (g.terms.integer(events[i + 1], weight) && weight >= 0) continue;
        std::string text = "(random";
        for (int k = 0; k < 3; ++k) {
            text += ' ';
            g.terms.write(events[i + k], text);
        }
        g.fail(text + "): a weight must be an integer from 0 up");
    }
}

static bool occurs(const Game& g, int term, int name) {
    if (term == name) return true;
    if (!g.terms.is_compound(term)) return false;
    for (int i = 0; i < g.terms.arity(term); ++i)
        if (occurs(g, g.terms.arg(term, i), name)) return true;
    return false;
}

static int replace(Game& g, int term, int name, int value) {
    if (term == name) return value;
    if (!g.terms.is_compound(term)) return term;
    Words args;
    const int count = g.terms.arity(term);
    for (int i = 0; i < count; ++i) args.push(replace(g, g.terms.arg(term, i), name, value));
    return g.terms.make_list(g.terms.look(term).functor, args.data, count);
}

static int draw_event(Game& g, int name, Random& random) {
    Words events;
    ask_random(g, events);
    check_weights(g, events);
    Wide sum = 0;
    int64_t weight = 0;
    for (size_t i = 0; i < events.size; i += 3)
        if (events[i] == name && g.terms.integer(events[i + 1], weight)) sum += weight;
    if (sum > INT64_MAX) throw Failure{OUT_OF_RANGE};
    if (sum > 0) {
        Wide pick = random.below(static_cast<uint64_t>(sum));
        for (size_t i = 0; i < events.size; i += 3) {
            if (events[i] != name || !g.terms.integer(events[i + 1], weight)) continue;
            if (pick < weight) return events[i + 2];
            pick -= weight;
        }
    }
    std::string text = "no event of the experiment ";
    g.terms.write(name, text);
    g.fail(text + " has a weight above 0");
}

static int draw_move(Game& g, int move, Random& random) {
    for (int i = 0; i < EXPERIMENTS; ++i) {
        const int name = EXPERIMENT[i];
        if (occurs(g, move, name)) move = replace(g, move, name, draw_event(g, name, random));
    }
    return move;
}

// ---- random play

struct Player {
    Words roles, initial, legal, starts, acting, chosen, found;

    // Play one step; false where nobody can move.
    bool step(Game& g, Random& random) {
        legal.size = starts.size = acting.size = chosen.size = 0;
        for (size_t r = 0; r < roles.size; ++r) {
            starts.push(static_cast<int>(legal.size));
            ask_legal(g, roles[r], legal);
            if (starts[r] != static_cast<int>(legal.size)) acting.push(static_cast<int>(r));
        }
        starts.push(static_cast<int>(legal.size));
        if (acting.size == 0) return false;
        if (IS_SERIAL) pick_actor(random);
        for (size_t a = 0; a < acting.size; ++a) {
            const int r = acting[a], start = starts[r];
            const int move = legal[start + random.below(starts[r + 1] - start)];
            chosen.push(roles[r]);
            chosen.push(draw_move(g, move, random));
        }
        const int count = static_cast<int>(chosen.size / 2);
        if (IS_SERIAL && is_idle(chosen.data, count)) return true;
        set_moves(g, chosen.data, count);
        advance(g);
        return true;
    }

    // Replace the state by the one after the moves.
    static void advance(Game& g) {
        g.then->clear();
        derive_next(g);
        std::swap(g.now, g.then);
        note_all(g);
        g.moves.clear();
        ++g.state_clock;
        ++g.move_clock;
    }

    void play(Game& g, Random random, int max_steps, double limit, Words& out) {
        load(g, initial.data, static_cast<int>(initial.size));
        int steps = 0;
        for (; steps < max_steps; ++steps) {
            g.deadline = Context::seconds() + limit;
            if (ask_terminal(g) || !step(g, random)) break;
        }
        out.push(steps);
        out.push(ask_terminal(g) ? 1 : 0);
        for (size_t r = 0; r < roles.size; ++r) out.push(goal_of(g, roles[r], found));
    }

  private:
    // One role at a time: `random` if it can, else any.
    void pick_actor(Random& random) {
        int actor = acting[random.below(acting.size)];
        for (size_t a = 0; a < acting.size; ++a)
            if (roles[acting[a]] == NATURE) actor = acting[a];
        acting[0] = actor;
        acting.size = 1;
    }
};
