// What Python calls. No exception leaves these functions.

enum Question { ROLES, INITIAL, TERMINAL, LEGAL, GOALS, NEXT, PERCEPTS, CHANCE };

static void find_roles(Game& g, Words& out) {
    ask_role(g, out);
}

static void find_initial(Game& g, Words& out) {
    ask_init(g, out);
}

static void answer(Game& g, int question, const int* moves, int count, Words& out) {
    Words roles, found;
    switch (question) {
        case ROLES: find_roles(g, out); return;
        case INITIAL: find_initial(g, out); return;
        case TERMINAL: out.push(ask_terminal(g)); return;
        case LEGAL:
            find_roles(g, roles);
            for (size_t r = 0; r < roles.size; ++r) {
                const size_t at = out.size;
                out.push(0);
                ask_legal(g, roles[r], out);
                sort_terms(g, out.data + at + 1, out.data + out.size);
                out[at] = static_cast<int>(out.size - at - 1);
            }
            return;
        case GOALS:
            find_roles(g, roles);
            for (size_t r = 0; r < roles.size; ++r) out.push(goal_of(g, roles[r], found));
            return;
        case NEXT:
            if (IS_SERIAL && is_idle(moves, count)) {
                list_facts(g, *g.now, out);
                return;
            }
            set_moves(g, moves, count);
            g.then->clear();
            derive_next(g);
            list_facts(g, *g.then, out);
            return;
        case PERCEPTS:
            find_roles(g, roles);
            set_moves(g, moves, count);
            for (size_t r = 0; r < roles.size; ++r) {
                const size_t at = out.size;
                out.push(0);
                ask_sees(g, roles[r], out);
                out[at] = static_cast<int>(out.size - at - 1);
            }
            return;
        case CHANCE:
            ask_random(g, out);
            check_weights(g, out);
            return;
    }
}

// Run `work`; return a status, and forget what was under way if it failed. It runs again when a
// relation turned out to need another way of evaluation: once for each component at most.
template <class Work>
static int guarded(Game& g, double seconds, Work work) {
    budget = &g.memory;
    Status status = ASK_AGAIN;
    while (status == ASK_AGAIN) {
        g.output.size = 0;
        try {
            g.start(seconds);
            work();
            return OK;
        } catch (const Failure& failure) {
            status = failure.status;
        } catch (...) {
            status = OUT_OF_MEMORY;
        }
        forget(g);
    }
    g.is_loaded = false;
    return status;
}

extern "C" {

void gdl_close(Game* game) {
    if (game == nullptr) return;
    // It is the last to go.
    budget = &game->memory;
    delete game;
    budget = nullptr;
}

// Return a new game, or null if the limit of memory (in bytes) is too small for its rules.
Game* gdl_open(uint64_t memory) {
    Game* game = new (std::nothrow) Game();
    if (game == nullptr) return nullptr;
    game->memory.limit = memory;
    if (guarded(*game, 60, [&] { set_up(*game); }) == OK) return game;
    gdl_close(game);
    return nullptr;
}

// Ask about a state (null: the one before). The answer stays until the next call.
int gdl_ask(Game* game, int question, const int* state, int facts, const int* moves, int count,
            double seconds, const int** answers, int* length) {
    Game& g = *game;
    const int status = guarded(g, seconds, [&] {
        if (state != nullptr || !g.is_loaded) load(g, state, state == nullptr ? 0 : facts);
        forget_moves(g);
        answer(g, question, moves, count, g.output);
    });
    *answers = g.output.data;
    *length = static_cast<int>(g.output.size);
    return status;
}

// Play `count` games of random moves, as many as fit into `slice` seconds but at least one; each is
// its number of steps, whether it came to its end, and the goals. A step may take `seconds`.
int gdl_play(Game* game, uint64_t seed, uint64_t first, int count, int max_steps, double seconds,
             double slice, const int** answers, int* length) {
    Game& g = *game;
    const int status = guarded(g, seconds, [&] {
        Player player;
        load(g, nullptr, 0);
        find_roles(g, player.roles);
        find_initial(g, player.initial);
        const double end = Context::seconds() + slice;
        for (int i = 0; i < count; ++i) {
            player.play(g, Random(seed, first + i), max_steps, seconds, g.output);
            if (Context::seconds() > end || g.memory.used > g.memory.limit / 2) break;
        }
        g.is_loaded = false;
    });
    *answers = g.output.data;
    *length = static_cast<int>(g.output.size);
    return status;
}

const char* gdl_message(const Game* game) { return game->message.c_str(); }

// How much of the memory is in use, from 0 to 1.
double gdl_usage(const Game* game) {
    return static_cast<double>(game->memory.used) / static_cast<double>(game->memory.limit);
}

// ---- terms

int gdl_number(Game* game, int64_t value, int* term) {
    return guarded(*game, 60, [&] { *term = game->terms.number(value); });
}

int gdl_symbol(Game* game, const char* name, int length, int* term) {
    return guarded(*game, 60, [&] { *term = game->terms.symbol(name, length); });
}

int gdl_compound(Game* game, const char* name, int length, const int* args, int count, int* term) {
    return guarded(*game, 60, [&] {
        const int functor = game->terms.intern_name(name, length, count);
        *term = game->terms.make_list(functor, args, count);
    });
}

// What a term is: -2 an integer (in `value`), -1 a symbol, else the number of its arguments.
int gdl_term(const Game* game, int term, const char** name, int* length, const int** args,
             int64_t* value) {
    const Terms& terms = game->terms;
    if (terms.integer(term, *value)) return -2;
    const Terms::Term& found = terms.look(term);
    const Terms::Name& called = terms.names[found.functor < 0 ? found.at : found.functor];
    *name = &terms.letters[called.at];
    *length = called.length;
    *args = found.functor < 0 ? nullptr : &terms.arguments[found.at];
    return called.arity;
}
}
