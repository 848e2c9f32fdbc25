// A smoothed chi-square statistic, and the exact cumulants it has when the labels of one variable are permuted.
//
//   T = n sum_ij (n_ij - a_i b_j / n)^2 / ((a_i + beta)(b_j + beta)),   beta = sqrt(n / 10),   per stratum
//
// T / n is tr(A P B P') for two centred matrices and a random permutation P; its first three cumulants have closed forms
// (Kazi-Aoual, Hitier, Sabatier and Lebreton 1995). Here A and B are freed of their mean eigenvalue before the formulas
// are applied. That takes nothing from T but its mean, removes more than half of the terms, and what is left does not
// cancel, whatever the margins.
#pragma once
#include <cstdint>
#include <vector>

#include "counting.hpp"
#include "two.hpp"

namespace paucal {

struct Cumulants {
    double mean = 0, variance = 0, third = 0;

    void add(const Cumulants& other) {
        mean += other.mean, variance += other.variance, third += other.third;
    }
};

// P(T > statistic) under the gamma distribution, shifted and perhaps mirrored, with these cumulants (Pearson III).
double pearson3_sf(double statistic, const Cumulants& cumulants);

// Whether every table with these margins has the same T: all levels of one variable occur once; or one variable has two
// levels, one of which occurs once, and the levels of the other occur equally often.
bool says_nothing(const Slice& slice);

// One stratum that says something. Its slice must outlive it. Margins may have zeros, which add nothing.
class SmoothedChi2 {
public:
    static constexpr std::uint32_t kFewLevels = 16;  // of a variable; more need memory from elsewhere

    explicit SmoothedChi2(const Slice& slice);
    SmoothedChi2(const SmoothedChi2&) = delete;
    SmoothedChi2& operator=(const SmoothedChi2&) = delete;

    double statistic() const;                            // from the cells of the slice
    double statistic(const std::uint32_t* table) const;  // from a table with all its cells, row-major
    Cumulants cumulants() const;

    // What the most extreme table with these margins has lies between these. The upper end is what it has if one variable
    // has two levels and the other at most eight. The first is the cheapest to compute, the last the dearest.
    double within_reach() const;
    double reach() const;
    double reach_at_most() const;

private:
    const Slice& slice_;
    double n_, beta_;
    std::uint32_t levels_;  // of the variable that has more; the other is filled up with levels that nobody has
    Two few_[2 * kFewLevels];
    std::vector<Two> many_;  // instead, if there are more levels
    // Per level: how often it occurs, a, and its weight 1 / (a + beta). Sums with g = a / (a + beta):
    Two *count_, *weight_;
    Two trace_;            // g (1 - a / n)
    Two g2_, g3_;          // powers of g
    Two ag_, ag2_, ag3_;   // the same, times a

    struct Invariants;
    Invariants invariants() const;
    Cumulants closed_form() const;
    double bound(int rows) const;
    double largest_row(double a, int columns) const;
    double bound_of_row(double a, int columns) const;
};

// All strata of a question.
struct SmoothedChi2Sum {
    explicit SmoothedChi2Sum(Counts& counts);

    double statistic = 0, within_reach = 0;
    Cumulants cumulants;
    std::uint32_t strata = 0;
    bool silent = true;  // no stratum says anything

private:
    void add_dense(const Counts& counts);
    void add(const SmoothedChi2& stratum, double value);
};

}  // namespace paucal
