// Exact distributions in a network, by variable elimination.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace paucal {

// A table over some nodes, one axis each in the order of `scope`, the last one fastest.
struct Factor {
    std::vector<std::uint32_t> scope;
    std::span<const double> values;
};

struct Eliminated {
    std::vector<double> values;   // an axis for each node of the question, in its order; empty if it was too large
    std::uint64_t cells = 0;      // of the table that was too large, and how many nodes it is about
    std::size_t nodes = 0;
};

// The product of all factors, summed over all nodes that are not asked for. Nodes are summed out one by one, always the
// one whose table is smallest at that moment, the first of several. No table beyond `most_cells` is made.
Eliminated eliminate(std::span<const std::uint32_t> levels, const std::vector<Factor>& factors,
                     const std::vector<std::uint32_t>& query, std::uint64_t most_cells);

}  // namespace paucal
