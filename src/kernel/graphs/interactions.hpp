// Parents that help only together, as those of a parity do: growing one parent at a time never meets them.
//
// Two scans. Of all triples of columns the score itself is taken, and a pair of parents is kept that gains more than its
// members do alone, or that nearly pays where neither does: the best graph is without it, but likely ones may have it.
// Each of these pairs is tried with every third parent, as three that help only together may show as such a pair.
// Of columns with two levels the parities of four to eight are counted, which costs one exclusive or per word, and what
// no split into two smaller sets explains is scored. How deep the scans go depends on the number of columns and rows
// only: so many steps and no more.
#pragma once
#include <cstdint>
#include <vector>

#include "graphs/orders.hpp"
#include "graphs/scores.hpp"

namespace paucal {

// Per child at most `most` sets of parents, the largest gain first. None for scores that are not differences of sets. Who
// watches may end the scans: then it is what they have met by then.
std::vector<ParentGroups> joint_parents(Scorer& scorer, const ArcRules& rules, std::size_t most, Watch* watch = nullptr);

}  // namespace paucal
