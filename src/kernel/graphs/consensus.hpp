// The class of DAGs that differs least, on average, from a distribution over such classes.
//
// 1. Every start is improved: arcs are added, removed and turned, the best change first, until none helps.
// 2. The best one is shaken and improved again, many times: another member of its class is taken, a few arcs are
//    changed, and whatever helps is done.
// 3. A proof, where it is affordable: branch and bound over the pairs. An arc a -> b ends as a -> b or a -- b in the
//    class, so a pair costs at least what the better of the two costs; what cannot beat the best graph met is left out.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "graphs/classes.hpp"
#include "graphs/orders.hpp"
#include "math/bitset.hpp"

namespace paucal {

struct ConsensusPlan {
    std::uint64_t looks = 0;  // classes that step 2 looks at
    std::uint64_t nodes = 0;  // of the tree of step 3; there is none for more than 64 columns
    double slack = 0;         // classes that lose up to so much more than the best are looked for and kept too
};

struct ConsensusFound {
    std::vector<BitMatrix> dags;  // a member of each class that was kept, the best class first
    std::vector<double> losses;   // against the empty graph
    bool proven = false;          // no class loses less
};

// `forbidden` is empty without background knowledge. Who watches may end it: then it is the best that was met by then.
ConsensusFound consensus(const std::vector<BitMatrix>& starts, std::span<const double> arrow,
                         std::span<const double> line, const ArcRules& rules, std::span<const std::uint8_t> forbidden,
                         const ConsensusPlan& plan, Watch* watch = nullptr);

}  // namespace paucal
