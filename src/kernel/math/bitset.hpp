// Sets of nodes as bits, for graphs of any size.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace paucal {

// Calls f(node) for every member of a set of `words` words, ascending.
template <class F> void each_member(const std::uint64_t* set, std::size_t words, F&& f) {
    for (std::size_t w = 0; w < words; ++w)
        for (std::uint64_t rest = set[w]; rest; rest &= rest - 1)
            f(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(rest))));
}

// A square 0/1 matrix whose rows are sets.
class BitMatrix {
public:
    explicit BitMatrix(std::size_t n) : n_(n), words_((n + 63) / 64), bits_(n * words_) {}

    std::size_t size() const { return n_; }
    std::size_t words() const { return words_; }
    std::uint64_t* operator[](std::size_t row) { return bits_.data() + row * words_; }
    const std::uint64_t* operator[](std::size_t row) const { return bits_.data() + row * words_; }
    bool has(std::size_t row, std::size_t column) const { return (*this)[row][column / 64] >> (column % 64) & 1; }
    void set(std::size_t row, std::size_t column) { (*this)[row][column / 64] |= std::uint64_t{1} << (column % 64); }
    void clear(std::size_t row, std::size_t column) { (*this)[row][column / 64] &= ~(std::uint64_t{1} << (column % 64)); }
    void clear() { bits_.assign(bits_.size(), 0); }
    template <class F> void each(std::size_t row, F&& f) const { each_member((*this)[row], words_, f); }

    // All that can be reached from `start` along the rows, `start` included.
    void reach(std::size_t start, std::vector<std::uint64_t>& seen, std::vector<std::uint32_t>& stack) const {
        seen.assign(words_, 0);
        seen[start / 64] |= std::uint64_t{1} << (start % 64);
        stack.assign(1, static_cast<std::uint32_t>(start));
        while (!stack.empty()) {
            const std::uint64_t* row = (*this)[stack.back()];
            stack.pop_back();
            for (std::size_t w = 0; w < words_; ++w)
                for (std::uint64_t fresh = row[w] & ~seen[w]; fresh; fresh &= fresh - 1) {
                    seen[w] |= fresh & -fresh;
                    stack.push_back(static_cast<std::uint32_t>(64 * w + static_cast<std::size_t>(std::countr_zero(fresh))));
                }
        }
    }

private:
    std::size_t n_, words_;
    std::vector<std::uint64_t> bits_;
};

// The nodes of a graph so that parents come before children; fewer than there are if arcs form a cycle.
inline std::vector<std::uint32_t> parents_first(const BitMatrix& children) {
    const std::size_t n = children.size();
    std::vector<std::uint32_t> waiting(n, 0), placed;
    for (std::size_t a = 0; a < n; ++a) children.each(a, [&](std::uint32_t b) { ++waiting[b]; });
    placed.reserve(n);
    for (std::uint32_t v = 0; v < n; ++v)
        if (waiting[v] == 0) placed.push_back(v);
    for (std::size_t i = 0; i < placed.size(); ++i)
        children.each(placed[i], [&](std::uint32_t b) {
            if (--waiting[b] == 0) placed.push_back(b);
        });
    return placed;
}

inline bool acyclic(const BitMatrix& children) { return parents_first(children).size() == children.size(); }

}  // namespace paucal
