// What one thread of a tester owns: its counting workspace and the answers it has yet to hand to the memo. The memo itself
// does not change while threads run, so what they find in it cannot depend on their number.
#pragma once
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ask/memo.hpp"
#include "ask/tester.hpp"

namespace paucal {

struct Tester::Worker {
    explicit Worker(const Columns& columns) : counter(columns) {}
    Counter counter;

    Question canonical(Index x, Index y, Indices given) {
        z.resize(given.size());
        return canonical(x, y, given, z.data());
    }

    // The same, with the conditioners in a place of one's own.
    static Question canonical(Index x, Index y, Indices given, Index* sorted) {
        for (std::size_t i = 0; i < given.size(); ++i) {  // by insertion: there are few
            std::size_t at = i;
            for (; at > 0 && sorted[at - 1] > given[i]; --at) sorted[at] = sorted[at - 1];
            sorted[at] = given[i];
        }
        return {std::min(x, y), std::max(x, y), sorted, static_cast<int>(given.size())};
    }

    // Questions of a batch about the same pair, from `begin` to `end`, and the merged rows of their columns; null if there
    // are none. Searches come back to a pair with larger sets of the same columns, so these rows are kept as long as
    // they take little memory.
    struct Run {
        std::size_t begin = 0, end = 0;
        const Family* family = nullptr;
    } run;
    struct Merged {
        static constexpr std::size_t kMostBytes = 1 << 24;
        std::unordered_map<std::uint64_t, Family> of_pair;
        std::size_t bytes = 0;
        Family last;  // which could not be kept
    } merged;

    const Family* merged_rows(const Question& q, std::size_t questions, const std::vector<Index>& members) {
        auto& [of_pair, bytes, last] = merged;
        const std::uint64_t pair = std::uint64_t{q.x} << 32 | q.y;
        if (const auto known = of_pair.find(pair); known != of_pair.end() && known->second.has(members)) return &known->second;
        Family family = counter.merge_for(q, questions, members);
        if (!family.worthwhile) return nullptr;
        const std::size_t more = family.weight.size() * (members.size() + sizeof(std::uint32_t));
        if (bytes + more > Merged::kMostBytes || of_pair.contains(pair)) return &(last = std::move(family));
        bytes += more;
        return &(of_pair[pair] = std::move(family));
    }

    std::vector<Index> z, subset;
    std::vector<std::size_t> places;  // of the subset among its candidates
    std::vector<std::pair<Key, Outcome>> answers;
    bool keeps = true;  // answers, for the memo
    std::vector<std::pair<Index, Index>> asked;
};

// Starting a thread costs some twenty microseconds: small jobs stay on one.
inline int useful_threads(int threads, double tests, std::size_t rows) {
    const double microseconds = tests * (.1 + 5e-4 * static_cast<double>(rows));
    return microseconds < 1000 ? 1 : threads;
}

}  // namespace paucal
