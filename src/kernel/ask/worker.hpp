// What one thread of a tester owns: its counting workspace and the answers it has yet to hand to the memo. The memo itself
// does not change while threads run, so what they find in it cannot depend on their number.
#pragma once
#include <algorithm>
#include <cstdint>
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

    // Questions of a batch about the same pair, from `begin` to `end`, and the merged rows of their columns.
    struct Run {
        std::size_t begin = 0, end = 0;
        Family family;
    } run;

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
