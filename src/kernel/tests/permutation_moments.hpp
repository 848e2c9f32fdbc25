// A smoothed chi-square statistic, and the exact cumulants it has when the labels of one variable are permuted.
//
//   T = n sum_ij (n_ij - a_i b_j / n)^2 / ((a_i + beta)(b_j + beta)),   beta = sqrt(n / 10),   per stratum
//
// T / n is tr(A P B P') for two centred matrices and a random permutation P; its first three cumulants have closed forms
// (Kazi-Aoual, Hitier, Sabatier and Lebreton 1995), which hot_moments.cpp computes for four strata at once.
#pragma once
#include <cstdint>
#include <vector>

#include "isa/hot_moments.hpp"
#include "isa/two.hpp"
#include "tests/reading.hpp"

namespace paucal {

// Logarithm of a chance that no table with these margins goes below when labels are permuted.
double log_rarest_table(const Slice& slice);

// P(T > statistic) under the gamma distribution, shifted and perhaps mirrored, with these cumulants (Pearson III).
double pearson3_sf(double statistic, const Cumulants& cumulants);

// Whether every table with these margins has the same T: all levels of one variable occur once; or one variable has two
// levels, one of which occurs once, and the levels of the other occur equally often.
bool says_nothing(const Slice& slice);

// The statistic of one stratum that says something, and how large it can become when the margins are given. Its slice
// must outlive it.
class SmoothedChi2 {
public:
    explicit SmoothedChi2(const Slice& slice);
    SmoothedChi2(const SmoothedChi2&) = delete;
    SmoothedChi2& operator=(const SmoothedChi2&) = delete;

    double statistic() const;

    // What the most extreme table with these margins has lies between these. The upper end is what it has if one variable
    // has two levels and the other at most eight.
    double reach() const;
    double reach_at_most() const;

private:
    const Slice& slice_;
    double n_, beta_;
    std::uint32_t levels_;  // of the variable that has more; the other is filled up with levels that nobody has
    Two few_[2 * kFewLevels];
    std::vector<Two> many_;  // instead, if there are more levels
    Two *count_, *weight_;   // per level: how often it occurs, a, and 1 / (a + beta)
    Two trace_;              // sum of g (1 - a / n) with g = a / (a + beta)
    Two ag_;                 // sum of a g

    double bound(int rows) const;
    double largest_row(double a, int columns) const;
    double bound_of_row(double a, int columns) const;
};

// All strata of a question.
struct SmoothedChi2Sum {
    explicit SmoothedChi2Sum(Counts& counts);

    double statistic = 0;
    double within_reach = 0;  // what some table with these margins has at least; the cheapest to know of such bounds
    Cumulants cumulants;
    std::uint32_t strata = 0, informative = 0;

private:
    void add_tables(const Counts& counts);
    void add_slices(Counts& counts);
    void add(const FourStrata& four, int lane);
};

}  // namespace paucal
