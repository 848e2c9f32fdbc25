// Which instruction set the hot loops use: all of them are compiled once for each, and chosen together at import. The
// numbers are the same to the last bit with any.
#pragma once
#include <string_view>

#include "isa/hot_counts.hpp"
#include "isa/hot_moments.hpp"
#include "isa/hot_sums.hpp"

namespace paucal {

struct Hot {
    const char* name;
    const HotCounts& counts;
    const HotSums& sums;
    const HotMoments& moments;
};

const Hot& hot();                      // the one in use
bool use_isa(std::string_view name);   // for tests: false if this machine does not have it; "best" is what it has

}  // namespace paucal
