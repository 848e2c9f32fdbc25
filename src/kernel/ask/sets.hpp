// All sets that are asked about when the ends of pairs may be separated by neighbours of either.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace paucal {

using Index = std::uint32_t;
using Indices = std::span<const Index>;

// The sets of one size, pair after pair: of neighbours of its first end, then those of the second that the first has not
// had already, so that each set of a pair comes once.
class SetsAround {
public:
    // `pairs` holds both ends of each; `neighbours` is a square matrix over `columns` columns.
    SetsAround(std::vector<Index> pairs, std::span<const std::uint8_t> neighbours, std::size_t columns, int order);

    // The numbers of the pairs and their sets, one behind the other: as many as are left, at most `most`.
    std::pair<std::vector<Index>, std::vector<Index>> next(std::size_t most);

    int order() const { return static_cast<int>(order_); }

private:
    bool known() const;

    std::vector<Index> pairs_;
    std::vector<std::vector<Index>> around_;  // by column
    std::vector<std::uint8_t> neighbours_;
    std::size_t columns_, order_;
    std::size_t end_ = 0;           // the place in `pairs_` of the end that has its turn
    std::vector<std::size_t> at_;   // the places of the next set among its neighbours
    bool begun_ = false;            // whether they belong to this end already
};

}  // namespace paucal
