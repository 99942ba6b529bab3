// Sets of rows, indexes on some of their columns, and answers that are remembered.

// A set of rows of K terms. Few rows are compared one by one, more are hashed.
template <int K>
struct Table {
    static const int WIDTH = K;
    static const int LINEAR = 8;
    Array<int> rows;
    int n = 0;
    Slots slots;
    // Differs whenever the rows differ from those an index was made of.
    uint64_t version = 1;

    const int* row(int i) const { return rows.data + static_cast<size_t>(i) * K; }

    static uint32_t hash(const int* r) {
        uint64_t h = 3;
        for (int i = 0; i < K; ++i) h = mix(h, r[i]);
        return fold(h);
    }
    static bool same(const int* a, const int* b) {
        for (int i = 0; i < K; ++i)
            if (a[i] != b[i]) return false;
        return true;
    }

    int find(const int* r) const {
        if (K == 0) return n - 1;
        if (n <= LINEAR) {
            for (int i = 0; i < n; ++i)
                if (same(row(i), r)) return i;
            return -1;
        }
        return slots.find(hash(r), [&](int i) { return same(row(i), r); });
    }

    // Add a row; tell whether it is new.
    OUTLINED bool add(const int* r) {
        if (find(r) >= 0) return false;
        if (K > 0) std::memcpy(rows.extend(K), r, K * sizeof(int));
        const auto hash_of = [&](int i) { return hash(row(i)); };
        if (n == LINEAR) slots.rebuild(n, hash_of);
        if (n >= LINEAR) slots.enter(n, hash_of);
        ++n;
        ++version;
        return true;
    }

    template <class... Values>
    bool put(Values... values) {
        const int r[sizeof...(values) + 1] = {values..., 0};
        return add(r);
    }
    template <class... Values>
    bool has(Values... values) const {
        const int r[sizeof...(values) + 1] = {values..., 0};
        return find(r) >= 0;
    }

    void clear() {
        if (n > LINEAR) slots.clear();
        n = 0;
        rows.size = 0;
        ++version;
    }
};

// The rows of a table by the columns whose bits are set in M; made when it is first asked.
template <int K, unsigned M>
struct Index {
    static const int KEY = __builtin_popcount(M);
    Slots slots;
    // Of each key the last row with it; of each row the one before it with the same key.
    Array<int> heads, before;
    uint64_t version = 0;

    static bool same(const int* r, const int* key) {
        for (int i = 0, k = 0; i < K; ++i)
            if (M >> i & 1)
                if (r[i] != key[k++]) return false;
        return true;
    }
    static uint32_t hash_key(const int* key) {
        uint64_t h = 5;
        for (int k = 0; k < KEY; ++k) h = mix(h, key[k]);
        return fold(h);
    }
    static void take(const int* r, int* key) {
        for (int i = 0, k = 0; i < K; ++i)
            if (M >> i & 1) key[k++] = r[i];
    }

    OUTLINED void build(const Table<K>& table) {
        slots.clear();
        heads.size = before.size = 0;
        const auto hash_of = [&](int number) {
            int key[KEY];
            take(table.row(heads[number]), key);
            return hash_key(key);
        };
        for (int i = 0; i < table.n; ++i) {
            int key[KEY];
            take(table.row(i), key);
            const int known =
                slots.find(hash_key(key), [&](int n) { return same(table.row(heads[n]), key); });
            if (known >= 0) {
                before.push(heads[known]);
                heads[known] = i;
            } else {
                before.push(-1);
                heads.push(i);
                slots.enter(static_cast<int>(heads.size) - 1, hash_of);
            }
        }
        version = table.version;
    }

    template <class... Values>
    int first(const Table<K>& table, Values... values) {
        if (version != table.version) build(table);
        const int key[] = {values...};
        const int known =
            slots.find(hash_key(key), [&](int n) { return same(table.row(heads[n]), key); });
        return known >= 0 ? heads[known] : -1;
    }
    int next(int row) const { return before[row]; }
};

// What one call of a relation answers: rows of its F unknown arguments.
template <int F>
struct Answers : Table<F> {
    bool is_complete;
};

// The calls of a relation with the same B arguments known, by number. Forgotten when the clock has
// moved on.
template <int B>
struct Calls {
    Array<int> keys;
    Slots slots;
    uint64_t seen = 0;
    int n = 0;

    // The arguments of a call.
    const int* key(int number) const { return keys.data + static_cast<size_t>(number) * B; }

    // Return the number of a call, -1 for a new one.
    int find(uint64_t clock, const int* key) {
        if (seen != clock) {
            seen = clock;
            n = 0;
            keys.size = 0;
            slots.clear();
        }
        if (B == 0) return n - 1;
        return slots.find(Table<B>::hash(key), [&](int i) { return Table<B>::same(this->key(i), key); });
    }

    OUTLINED int enter(const int* key) {
        if (B > 0) {
            std::memcpy(keys.extend(B), key, B * sizeof(int));
            slots.enter(n, [&](int i) { return Table<B>::hash(this->key(i)); });
        }
        return n++;
    }
};

// Whether each call holds; `at` gives its number.
template <int B>
struct Truths {
    enum { BUSY, FAILS, HOLDS };
    Calls<B> calls;
    Array<char> states;

    template <class... Values>
    int at(uint64_t clock, bool& is_new, Values... values) {
        const int key[sizeof...(values) + 1] = {values..., 0};
        const int known = calls.find(clock, key);
        is_new = known < 0;
        return is_new ? enter(key) : known;
    }

  private:
    int enter(const int* key) {
        const int number = calls.enter(key);
        states.size = static_cast<size_t>(number);
        states.push(BUSY);
        return number;
    }
};

// What each call answers.
template <int B, class Entry>
struct Memo {
    Calls<B> calls;
    Pool<Entry> entries;

    // Return the entry of a call; `is_new` says that nothing is in it yet.
    template <class... Values>
    Entry& at(uint64_t clock, bool& is_new, Values... values) {
        const int key[sizeof...(values) + 1] = {values..., 0};
        const int known = calls.find(clock, key);
        is_new = known < 0;
        return is_new ? enter(key) : entries[known];
    }

  private:
    OUTLINED Entry& enter(const int* key) {
        entries.size = static_cast<size_t>(calls.enter(key));
        Entry& entry = entries.take();
        entry.clear();
        entry.is_complete = false;
        return entry;
    }
};

// ---- relations that depend on themselves
//
// Most of these never come back to a call that is under way; they are evaluated like all others.
// Once one does, its component is evaluated in this way: a call is evaluated again whenever a call
// that it has read got new answers, until nothing is new.

struct Scope;
struct Game;

struct Recursive {
    bool is_queued = false;
    const Scope* scope = nullptr;
    Array<Recursive*> readers;
    void (*evaluate)(Game&, Recursive*) = nullptr;
    // Its place in the memo of its relation.
    int number = 0;
    int (*count)(const Recursive*) = nullptr;
    bool* completed = nullptr;

    void read_by(Recursive* reader) {
        if (readers.size == 0 || readers[readers.size - 1] != reader) readers.push(reader);
    }
};

template <int F>
struct RecursiveAnswers : Answers<F>, Recursive {};

// The calls that are evaluated together, from the outermost one on.
struct Scope {
    Array<Recursive*> queue, members;
    Recursive* current = nullptr;

    void push(Recursive* call) {
        if (call->is_queued) return;
        call->is_queued = true;
        queue.push(call);
    }
    void enter(Recursive* call) {
        call->is_queued = false;
        call->scope = this;
        call->readers.size = 0;
        members.push(call);
        push(call);
    }
};
