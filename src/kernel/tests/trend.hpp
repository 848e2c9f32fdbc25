// A trend of two ordered columns within strata: the sum of products of their scores, and its moments when labels are
// permuted. Scores are midranks of the whole table's margins.
#pragma once
#include <cstdint>

#include "tests/reading.hpp"

namespace paucal {

struct Trend {
    double sum = 0, variance = 0, fourth = 0;  // of products of scores; its variance and fourth cumulant
    double most = 0;                           // the largest absolute sum that these margins allow
    std::uint32_t strata = 0, informative = 0;

    explicit Trend(const Counts& counts);
    double p_value(double sum) const;
    Reading read() const;
};

}  // namespace paucal
