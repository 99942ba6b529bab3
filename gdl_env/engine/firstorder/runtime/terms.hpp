// Terms as numbers of 32 bits. Odd: an integer of up to 31 bits itself. Even: twice the place in the
// table of symbols, larger integers and compounds, where each is entered once. Equal numbers are
// equal terms.

static const int NONE = -2;
static const int MAX_DEPTH = 400;
static const int64_t SMALL = int64_t(1) << 30;
static const size_t MAX_TERMS = size_t(1) << 29;

typedef __int128 Wide;

struct Terms {
    enum { SYMBOL = -1, INTEGER = -2 };
    struct Term {
        int functor;  // SYMBOL, INTEGER, or the number of a name with arguments
        int at;       // the name, the value, or the first argument
        int depth;
    };
    struct Name {
        int at;
        int length;
        int arity;  // -1: a symbol
    };

    Array<Term> terms;
    Array<int> arguments;
    Array<int64_t> integers;
    Array<Name> names;
    Array<char> letters;
    Slots term_slots, name_slots;

    bool is_term(int value) const {
        return (value & 1) != 0 || (value >= 0 && static_cast<size_t>(value >> 1) < terms.size);
    }
    const Term& look(int value) const { return terms[static_cast<size_t>(value >> 1)]; }
    bool is(int value, int functor) const {
        return (value & 1) == 0 && look(value).functor == functor;
    }
    bool is_compound(int value) const { return (value & 1) == 0 && look(value).functor >= 0; }
    bool is_symbol(int value) const { return (value & 1) == 0 && look(value).functor == SYMBOL; }
    int arg(int value, int index) const { return arguments[static_cast<size_t>(look(value).at + index)]; }
    int arity(int value) const { return names[static_cast<size_t>(look(value).functor)].arity; }

    bool integer(int value, int64_t& number) const {
        if (value & 1) {
            number = value >> 1;
            return true;
        }
        const Term& term = look(value);
        if (term.functor != INTEGER) return false;
        number = integers[static_cast<size_t>(term.at)];
        return true;
    }

    int number(Wide wide) {
        if (wide >= -SMALL && wide < SMALL) return static_cast<int>(wide) * 2 + 1;
        if (wide > INT64_MAX || wide < INT64_MIN) throw Failure{OUT_OF_RANGE};
        const int64_t value = static_cast<int64_t>(wide);
        const uint32_t hash = fold(mix(mix(INTEGER, static_cast<int>(value)), static_cast<int>(value >> 32)));
        const int known = term_slots.find(hash, [&](int n) {
            return terms[n].functor == INTEGER && integers[terms[n].at] == value;
        });
        if (known >= 0) return known * 2;
        integers.push(value);
        return enter(INTEGER, static_cast<int>(integers.size) - 1, 0);
    }

    int symbol(const char* text, int length) {
        const int name = intern_name(text, length, -1);
        const uint32_t hash = fold(mix(mix(SYMBOL, name), 0));
        const int known = term_slots.find(
            hash, [&](int n) { return terms[n].functor == SYMBOL && terms[n].at == name; });
        return known >= 0 ? known * 2 : enter(SYMBOL, name, 0);
    }

    int find_list(int functor, const int* args, int count) const {
        const int known = term_slots.find(hash_of(functor, args, count), [&](int n) {
            return terms[n].functor == functor &&
                   std::memcmp(&arguments[terms[n].at], args, count * sizeof(int)) == 0;
        });
        return known >= 0 ? known * 2 : NONE;
    }

    int make_list(int functor, const int* args, int count) {
        const int known = find_list(functor, args, count);
        if (known != NONE) return known;
        int depth = 0;
        for (int i = 0; i < count; ++i) {
            if ((args[i] & 1) == 0) depth = std::max(depth, look(args[i]).depth);
        }
        if (depth >= MAX_DEPTH) throw Failure{TOO_DEEP};
        const int at = static_cast<int>(arguments.size);
        std::memcpy(arguments.extend(count), args, count * sizeof(int));
        return enter(functor, at, depth + 1);
    }

    template <class... Args>
    int find(int functor, Args... args) const {
        const int list[] = {args...};
        return find_list(functor, list, static_cast<int>(sizeof...(args)));
    }
    template <class... Args>
    int make(int functor, Args... args) {
        const int list[] = {args...};
        return make_list(functor, list, static_cast<int>(sizeof...(args)));
    }

    int intern_name(const char* text, int length, int arity) {
        const uint32_t hash = hash_of_name(text, length, arity);
        const int known = name_slots.find(hash, [&](int n) {
            return names[n].arity == arity && names[n].length == length &&
                   std::memcmp(&letters[names[n].at], text, length) == 0;
        });
        if (known >= 0) return known;
        const int at = static_cast<int>(letters.size);
        std::memcpy(letters.extend(length), text, length);
        names.push(Name{at, length, arity});
        const int number = static_cast<int>(names.size) - 1;
        name_slots.enter(number, [&](int n) {
            return hash_of_name(&letters[names[n].at], names[n].length, names[n].arity);
        });
        return number;
    }

    // The order of moves: numbers, symbols by name, compounds by arity, name and arguments.
    int compare(int left, int right) const {
        if (left == right) return 0;
        int64_t a = 0, b = 0;
        const bool left_number = integer(left, a), right_number = integer(right, b);
        if (left_number && right_number) return a < b ? -1 : 1;
        if (left_number != right_number) return left_number ? -1 : 1;
        const Term &x = look(left), &y = look(right);
        if (x.functor < 0 || y.functor < 0) {
            if (x.functor < 0 && y.functor < 0) return compare_names(names[x.at], names[y.at]);
            return x.functor < 0 ? -1 : 1;
        }
        const Name &f = names[x.functor], &g = names[y.functor];
        if (f.arity != g.arity) return f.arity < g.arity ? -1 : 1;
        if (x.functor != y.functor) return compare_names(f, g);
        for (int i = 0; i < f.arity; ++i) {
            const int order = compare(arg(left, i), arg(right, i));
            if (order != 0) return order;
        }
        return 0;
    }

    void write(int value, std::string& out) const {
        int64_t known = 0;
        if (value == NONE) {
            out += '?';
        } else if (integer(value, known)) {
            out += std::to_string(known);
        } else if (look(value).functor < 0) {
            out.append(&letters[names[look(value).at].at], names[look(value).at].length);
        } else {
            const Name& name = names[look(value).functor];
            out += '(';
            out.append(&letters[name.at], name.length);
            for (int i = 0; i < name.arity; ++i) {
                out += ' ';
                write(arg(value, i), out);
            }
            out += ')';
        }
    }

  private:
    int enter(int functor, int at, int depth) {
        if (terms.size >= MAX_TERMS || arguments.size >= MAX_TERMS) throw Failure{OUT_OF_MEMORY};
        terms.push(Term{functor, at, depth});
        const int number = static_cast<int>(terms.size) - 1;
        term_slots.enter(number, [&](int n) { return hash_of_term(n); });
        return number * 2;
    }

    uint32_t hash_of_term(int number) const {
        const Term& term = terms[number];
        if (term.functor >= 0) return hash_of(term.functor, &arguments[term.at], names[term.functor].arity);
        if (term.functor == SYMBOL) return fold(mix(mix(SYMBOL, term.at), 0));
        const int64_t value = integers[term.at];
        return fold(mix(mix(INTEGER, static_cast<int>(value)), static_cast<int>(value >> 32)));
    }

    static uint32_t hash_of(int functor, const int* args, int count) {
        uint64_t hash = mix(1, functor);
        for (int i = 0; i < count; ++i) hash = mix(hash, args[i]);
        return fold(hash);
    }

    static uint32_t hash_of_name(const char* text, int length, int arity) {
        uint64_t hash = mix(2, arity);
        for (int i = 0; i < length; ++i) hash = mix(hash, text[i]);
        return fold(hash);
    }

    int compare_names(const Name& left, const Name& right) const {
        const int shared = std::min(left.length, right.length);
        const int order = std::memcmp(&letters[left.at], &letters[right.at], shared);
        return order != 0 ? order : left.length - right.length;
    }
};

// A name with its number of arguments, -1 for a symbol.
struct NameData {
    const char* text;
    int arity;
};

// Enter the constants of a game in the order in which its code numbers them.
inline void load_constants(Terms& terms, const NameData* names, int name_count,
                           const int64_t* integers, const int* words, int word_count) {
    for (int i = 0; i < name_count; ++i) {
        terms.intern_name(names[i].text, static_cast<int>(std::strlen(names[i].text)), names[i].arity);
    }
    for (int at = 0; at < word_count;) {
        const int kind = words[at], which = words[at + 1];
        at += 2;
        if (kind == 0) {
            terms.symbol(names[which].text, static_cast<int>(std::strlen(names[which].text)));
        } else if (kind == 1) {
            terms.number(integers[which]);
        } else {
            terms.make_list(which, words + at, names[which].arity);
            at += names[which].arity;
        }
    }
}
