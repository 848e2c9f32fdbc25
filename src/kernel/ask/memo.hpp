// What a tester was asked before, and what it answered.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "ask/outcome.hpp"
#include "data/counting.hpp"
#include "math/random.hpp"

namespace paucal {

struct Key {
    std::uint64_t a, b;
    bool operator==(const Key&) const = default;
};

// 128 bits of a canonical question: among a billion questions the chance of one collision is below 1e-20.
inline Key key_of(const Question& q) {
    std::uint64_t a = mix((std::uint64_t{q.x} << 32 | q.y) + 0x9E3779B97F4A7C15ull), b = mix(a ^ 0xD1B54A32D192ED03ull);
    for (int i = 0; i < q.order; ++i) {
        a = mix(a + 0x9E3779B97F4A7C15ull * (q.z[i] + 1));
        b = mix(b ^ (0xD1B54A32D192ED03ull * (q.z[i] + 1)));
    }
    return {a, b};
}

// Questions already answered. Without conditioners one bit says that a question was asked (answering it again from
// the pair table costs less than a look-up); with conditioners the answer is kept, as long as there is room: some 180 MB
// of answers. What is forgotten is answered anew, with the same numbers.
class Memo {
public:
    static constexpr std::uint32_t kMost = 1u << 21;

    explicit Memo(std::size_t columns) : columns_(columns), asked_((columns * (columns - 1) / 2 + 63) / 64) {}

    bool was_asked(const Question& q) const {
        const std::size_t i = pair(q);
        return asked_[i / 64] >> (i % 64) & 1;
    }
    // Says whether it was not asked before.
    bool set_asked(const Question& q) {
        const std::size_t i = pair(q);
        const std::uint64_t bit = std::uint64_t{1} << (i % 64), before = asked_[i / 64];
        if (before & bit) return false;
        asked_[i / 64] = before | bit;
        return true;
    }

    // Before a question is looked for, in time for the cache.
    void expect(const Key& key) const {
        if (!tags_.empty()) __builtin_prefetch(&tags_[home(key)]);
    }

    const Outcome* find(const Key& key) const {
        if (tags_.empty()) return nullptr;
        for (std::size_t i = home(key);; i = (i + 1) & (tags_.size() - 1)) {
            if (tags_[i] == 0) return nullptr;
            if (tags_[i] == tag(key) && at(entry_[i]).key == key) return &at(entry_[i]).outcome;
        }
    }

    // Makes room for more answers, all at once; says whether there is enough.
    bool make_room(std::size_t more) {
        if (more > kMost) return false;
        if (size_ + more > kMost) forget();
        if (const std::size_t needed = 2 * (size_ + more); needed > tags_.size()) grow(std::max(kLeast, std::bit_ceil(needed)));
        return true;
    }

    void insert(const Key& key, const Outcome& outcome) {
        if (size_ == kMost) forget();
        if (2 * (std::size_t{size_} + 1) > tags_.size()) grow(tags_.empty() ? kLeast : 4 * tags_.size());
        if (size_ % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<Entry[]>(kBlock));
        at(size_) = {key, outcome};
        place(key, size_++);
    }

private:
    // Entries lie in the order they came. Nearly all questions are new, and the tags alone can tell: they are small
    // enough to stay in the cache.
    struct Entry {
        Key key;
        Outcome outcome;
    };
    static constexpr std::uint32_t kBlock = 1024;
    static constexpr std::size_t kLeast = 1024;  // places of the table; a power of two

    static std::uint16_t tag(const Key& key) { return static_cast<std::uint16_t>(key.b | 1); }  // 0: a free place
    std::size_t home(const Key& key) const { return key.a & (tags_.size() - 1); }
    const Entry& at(std::uint32_t entry) const { return blocks_[entry / kBlock][entry % kBlock]; }
    Entry& at(std::uint32_t entry) { return blocks_[entry / kBlock][entry % kBlock]; }

    std::size_t pair(const Question& q) const { return q.x * (2 * columns_ - q.x - 1) / 2 + (q.y - q.x - 1); }

    void place(const Key& key, std::uint32_t entry) {
        std::size_t i = home(key);
        while (tags_[i] != 0) i = (i + 1) & (tags_.size() - 1);
        tags_[i] = tag(key);
        entry_[i] = entry;
    }

    void forget() {
        std::fill(tags_.begin(), tags_.end(), std::uint16_t{0});
        blocks_.clear();
        size_ = 0;
    }

    void grow(std::size_t larger) {
        tags_.assign(larger, 0);
        entry_.resize(larger);
        for (std::uint32_t entry = 0; entry < size_; ++entry) place(at(entry).key, entry);
    }

    std::size_t columns_;
    std::vector<std::uint64_t> asked_;
    std::vector<std::unique_ptr<Entry[]>> blocks_;
    std::vector<std::uint16_t> tags_;    // one for each place of the table
    std::vector<std::uint32_t> entry_;  // of the places that are taken
    std::uint32_t size_ = 0;
};

}  // namespace paucal
