// Memory that is counted, and failures.
//
// Nothing here aborts: a limit ends the question with a Failure, which the interface turns into a
// status for Python.

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string>

// What runs rarely, or is called from many places: kept out of the code around it.
#define OUTLINED __attribute__((noinline))

enum Status { OK, OUT_OF_TIME, OUT_OF_MEMORY, OUT_OF_RANGE, TOO_DEEP, RULE, ASK_AGAIN };

struct Failure {
    Status status;
};

struct Budget {
    size_t used = 0;
    size_t limit = 0;

    void charge(size_t more) {
        if (used + more > limit) throw Failure{OUT_OF_MEMORY};
        used += more;
    }
};

// The budget of the game that is being asked on this thread.
static thread_local Budget* budget = nullptr;

// A growing array of plain values.
template <class T>
struct Array {
    T* data = nullptr;
    size_t size = 0;
    size_t room = 0;

    Array() = default;
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    ~Array() {
        if (data == nullptr) return;
        budget->used -= room * sizeof(T);
        std::free(data);
    }

    T& operator[](size_t index) { return data[index]; }
    const T& operator[](size_t index) const { return data[index]; }

    void push(T value) {
        if (size == room) grow(size + 1);
        data[size++] = value;
    }

    // Make room for `count` more values and return where they go.
    T* extend(size_t count) {
        if (size + count > room) grow(size + count);
        size += count;
        return data + size - count;
    }

    OUTLINED void grow(size_t wanted) {
        size_t next = std::max<size_t>(wanted, room * 2);
        if (next < 8) next = 8;
        budget->charge((next - room) * sizeof(T));
        T* moved = static_cast<T*>(std::realloc(static_cast<void*>(data), next * sizeof(T)));
        if (moved == nullptr) {
            budget->used -= (next - room) * sizeof(T);
            throw Failure{OUT_OF_MEMORY};
        }
        data = moved;
        room = next;
    }
};

// Objects that are kept for the next state; only the first `size` are in use.
template <class T>
struct Pool {
    Array<T*> made;
    size_t size = 0;

    ~Pool() {
        for (size_t i = 0; i < made.size; ++i) {
            made[i]->~T();
            std::free(made[i]);
            budget->used -= sizeof(T);
        }
    }

    T& operator[](size_t index) { return *made[index]; }

    T& take() {
        if (size == made.size) {
            made.push(nullptr);
            --made.size;
            budget->charge(sizeof(T));
            void* place = std::malloc(sizeof(T));
            if (place == nullptr) {
                budget->used -= sizeof(T);
                throw Failure{OUT_OF_MEMORY};
            }
            made.push(new (place) T());
        }
        return *made[size++];
    }
};

inline uint64_t mix(uint64_t hash, int value) {
    return (hash ^ static_cast<uint32_t>(value)) * 0x9E3779B97F4A7C15ULL + 0x7F4A7C15ULL;
}

inline uint32_t fold(uint64_t hash) { return static_cast<uint32_t>(hash >> 32 ^ hash >> 16); }

// Hash slots of an object that numbers what it holds; emptied in one step by a new epoch.
struct Slots {
    Array<uint64_t> slots;
    uint32_t epoch = 1;

    void clear() {
        if (++epoch != 0) return;
        for (size_t i = 0; i < slots.size; ++i) slots[i] = 0;
        epoch = 1;
    }

    // Return the number for which `same` holds, or -1.
    template <class Same>
    int find(uint32_t hash, Same same) const {
        if (slots.size == 0) return -1;
        const size_t mask = slots.size - 1;
        for (size_t i = hash & mask;; i = (i + 1) & mask) {
            const uint64_t slot = slots[i];
            if (static_cast<uint32_t>(slot >> 32) != epoch) return -1;
            const int number = static_cast<int>(static_cast<uint32_t>(slot));
            if (same(number)) return number;
        }
    }

    // Enter the number `count`, when 0 .. count - 1 are there already.
    template <class Hash>
    void enter(int count, Hash hash_of) {
        if (slots.size == 0 || static_cast<size_t>(count) * 2 >= slots.size) rebuild(count, hash_of);
        place(hash_of(count), count);
    }

    template <class Hash>
    OUTLINED void rebuild(int count, Hash hash_of) {
        size_t wanted = 16;
        while (wanted < static_cast<size_t>(count) * 4 + 4) wanted *= 2;
        if (wanted > slots.size) {
            slots.extend(wanted - slots.size);
            std::memset(slots.data, 0, slots.size * sizeof(uint64_t));
            epoch = 1;
        } else {
            clear();
        }
        for (int number = 0; number < count; ++number) place(hash_of(number), number);
    }

    void place(uint32_t hash, int number) {
        const size_t mask = slots.size - 1;
        size_t i = hash & mask;
        while (static_cast<uint32_t>(slots[i] >> 32) == epoch) i = (i + 1) & mask;
        slots[i] = static_cast<uint64_t>(epoch) << 32 | static_cast<uint32_t>(number);
    }
};
