// The smoothed chi-square of four strata at once, with the cumulants it has when labels are permuted: one table of
// functions per instruction set, as in isa.hpp. What the numbers mean is said in permutation_moments.hpp.
#pragma once
#include <cstdint>

namespace paucal {

inline constexpr int kLanes = 4;
inline constexpr std::uint32_t kFewLevels = 16;  // of a variable; more need memory from elsewhere

struct PerStratum {
    double at[kLanes];
};

struct PerMargin {
    PerStratum row, column;
};

struct FourStrata {
    PerStratum total, statistic;
    PerStratum within_reach;           // some table with these margins has at least this statistic
    PerStratum mean, variance, third;  // cumulants, for totals from 6 on
    PerMargin used;                    // levels that occur
    PerMargin least, most;             // samples of the rarest and of the most frequent of them
    PerMargin squares;                 // sum over levels
};

struct HotMoments {
    // Four tables of kx by ky cells, with at most kFewLevels levels each way. If there are fewer, the first is repeated.
    void (*of_tables)(const std::uint32_t* const* tables, std::uint32_t kx, std::uint32_t ky, FourStrata* out);

    // From margins all but the statistic. `count` holds samples per level, zero where there is no such level; `weight` is
    // room for as many numbers.
    void (*of_margins)(const PerMargin* count, std::uint32_t levels, PerMargin* weight, FourStrata* out);
};

}  // namespace paucal
