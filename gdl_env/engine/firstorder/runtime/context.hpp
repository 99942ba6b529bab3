// What the rules of every game are evaluated in: terms, moves, limits, arithmetic.

struct Context {
    Budget memory;
    Terms terms;
    Table<2> moves;
    std::string message;
    // Answers of relations without `true` and `does`, with `true`, and with `does`.
    uint64_t static_clock = 1, state_clock = 1, move_clock = 1;

    // ---- limits

    int64_t fuel = 0;
    double deadline = 0;
    const char* stack_end = nullptr;

    static double seconds() {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
    }

    void start(double limit) {
        deadline = seconds() + limit;
        fuel = FUEL;
        stack_end = end_of_stack();
    }

    void spend(int64_t steps) {
        fuel -= steps;
        if (fuel < 0) refuel();
    }

    void refuel() {
        if (seconds() > deadline) throw Failure{OUT_OF_TIME};
        fuel = FUEL;
    }

    // Called wherever rules may call themselves.
    void descend() const {
        if (is_deep()) throw Failure{TOO_DEEP};
    }
    bool is_deep() const {
        return static_cast<const char*>(__builtin_frame_address(0)) < stack_end;
    }

    // ---- failures of rules

    [[noreturn]] void fail(const std::string& text) {
        message = text;
        throw Failure{RULE};
    }
    [[noreturn]] void fail_unbound(const char* literal) {
        fail(std::string(literal) + " has too many unknown arguments");
    }
    [[noreturn]] void fail_head(const char* head) {
        fail(std::string("the rules give ") + head + ", where a variable has no value");
    }
    [[noreturn]] void fail_negation(const char* relation) {
        fail(std::string(relation) + " depends on its own absence");
    }
    [[noreturn]] void fail_infinite(const char* relation, int a, int b, int c) {
        std::string text = std::string("(") + relation;
        for (int value : {a, b, c}) {
            text += ' ';
            terms.write(value, text);
        }
        fail(text + ") has infinitely many answers");
    }

    // ---- arithmetic: divisors are never 0 here

    static Wide quotient(int64_t a, int64_t b) { return Wide(a) / b; }
    static Wide remainder(int64_t a, int64_t b) {
        const Wide rest = Wide(a) % b;
        return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }

    // (mult ?x known product): the value, or NONE.
    int factor(int64_t known, int64_t product, int a, int b, int c) {
        if (known == 0) {
            if (product == 0) fail_infinite("mult", a, b, c);
            return NONE;
        }
        return Wide(product) % known == 0 ? terms.number(Wide(product) / known) : NONE;
    }

    // (div ?x b c)
    template <class Then>
    bool dividends(int64_t b, int64_t c, Then then) {
        if (b == 0) return false;
        const Wide edge = (b < 0 ? -Wide(b) : Wide(b)) - 1, near = Wide(b) * c;
        const Wide low = near > 0 ? near : near - edge, high = near < 0 ? near : near + edge;
        return between(low, high, 1, then);
    }

    // (div a ?x c)
    template <class Then>
    bool divisors(int64_t a, int64_t c, Then then) {
        if (c == 0) fail_infinite("div", terms.number(a), NONE, terms.number(c));
        const Wide top = a < 0 ? -Wide(a) : Wide(a), size = c < 0 ? -Wide(c) : Wide(c);
        if (a == 0 || top < size) return false;
        return between(top / (size + 1) + 1, top / size, (a < 0) == (c < 0) ? 1 : -1, then);
    }

    // (mod ?x b c)
    void fail_modulo(int64_t b, int64_t c) {
        if (b != 0 && remainder(c, b) == c) {
            fail_infinite("mod", NONE, terms.number(b), terms.number(c));
        }
    }

    // (mod a ?x c)
    template <class Then>
    bool moduli(int64_t a, int64_t c, Then then) {
        if (a == c) fail_infinite("mod", terms.number(a), NONE, terms.number(c));
        const Wide whole = Wide(a) - c, top = whole < 0 ? -whole : whole;
        for (Wide low = 1; low * low <= top; ++low) {
            spend(1);
            if (top % low != 0) continue;
            if (modulus(low, c, then)) return true;
            if (low * low != top && modulus(top / low, c, then)) return true;
        }
        return false;
    }

    template <class Then>
    bool modulus(Wide size, int64_t c, Then then) {
        if (size <= (c < 0 ? -Wide(c) : Wide(c))) return false;
        if (c == 0) return then(terms.number(size)) || then(terms.number(-size));
        return then(terms.number(c < 0 ? -size : size));
    }

    template <class Then>
    bool between(Wide low, Wide high, int sign, Then then) {
        for (Wide value = low; value <= high; ++value) {
            spend(1);
            if (then(terms.number(sign * value))) return true;
        }
        return false;
    }

  private:
    // How many steps go by between two looks at the clock.
    static const int64_t FUEL = 50000;

    // The lowest address rules may reach: some room is left for what they call.
    static const char* end_of_stack() {
        static thread_local const char* end = nullptr;
        if (end != nullptr) return end;
        const size_t spare = 128 << 10, most = 64 << 20;
        const char* here = static_cast<const char*>(__builtin_frame_address(0));
        // Where the stack's size cannot be told, no thread has less than this.
        const char* lowest = here - (96 << 10);
#ifdef __linux__
        pthread_attr_t attributes;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            void* low = nullptr;
            size_t size = 0;
            if (pthread_attr_getstack(&attributes, &low, &size) == 0) {
                lowest = static_cast<const char*>(low) + spare;
            }
            pthread_attr_destroy(&attributes);
        }
#endif
        end = here - lowest > static_cast<ptrdiff_t>(most) ? here - most : lowest;
        return end;
    }
};

// Evaluate a call of a relation that depends on itself, or read what it has so far if that is under
// way. `active` is the scope of its component.
template <int B, int F, class... Values>
OUTLINED RecursiveAnswers<F>& recur(Game& game, Context& context, uint64_t clock,
                              Memo<B, RecursiveAnswers<F>>& memo, Scope*& active,
                              void (*evaluate)(Game&, Recursive*), const char* name,
                              Values... values) {
    typedef RecursiveAnswers<F> Entry;
    bool is_new = false;
    Entry& entry = memo.at(clock, is_new, values...);
    if (entry.is_complete) return entry;
    if (is_new) {
        entry.evaluate = evaluate;
        entry.number = memo.calls.n - 1;
        entry.count = [](const Recursive* call) { return static_cast<const Entry*>(call)->n; };
        entry.completed = &entry.is_complete;
    }
    if (active != nullptr) {
        if (is_new) {
            active->enter(&entry);
        } else if (entry.scope != active) {
            context.fail_negation(name);
        }
        entry.read_by(active->current);
        return entry;
    }
    if (!is_new) context.fail_negation(name);
    context.descend();
    Scope scope;
    active = &scope;
    scope.enter(&entry);
    while (scope.queue.size > 0) {
        context.spend(1);
        Recursive* call = scope.queue[--scope.queue.size];
        call->is_queued = false;
        scope.current = call;
        const int known = call->count(call);
        call->evaluate(game, call);
        if (call->count(call) == known) continue;
        for (size_t i = 0; i < call->readers.size; ++i) scope.push(call->readers[i]);
    }
    for (size_t i = 0; i < scope.members.size; ++i) *scope.members[i]->completed = true;
    active = nullptr;
    return entry;
}
