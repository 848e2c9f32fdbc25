// Symmetric Dirichlet priors: the Polya likelihood, and the prior that makes it largest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace paucal {

// The cells of a table as a Polya likelihood sees them: positive counts, how often each occurs, how many cells in all.
struct Occupancy {
    static constexpr int kSmall = 9;
    std::vector<double> n, times;            // `times` is empty where counts were not merged: it means 1
    std::vector<double> large, large_times;  // those above kSmall, filled up to a multiple of 4 with times 0
    double reaching[kSmall - 1] = {};        // cells with more than 1, 2, ... samples
    double whole_reaching[kSmall - 1] = {};  // the same for one cell that holds all samples
    double cells = 0;     // empty ones included
    double total = 0, occupied = 0, largest = 0;
    double pairs = 0;     // sum of n (n - 1)
    double excess = 0;    // of these over what a uniform multinomial would have; the likelihood's slope at infinity

    void clear(double all_cells);
    void add(const std::uint32_t* counts, std::size_t size);
    void finish(bool merge);  // after the last count; merging equal ones pays where there are many

private:
    std::uint32_t having_[kSmall + 1] = {};  // cells with 1, 2, ... samples; kSmall and more share the last
};

// ln P(counts | alpha) of an ordered sample; Minka (2000), without the multinomial coefficient.
double polya(const Occupancy& counts, double alpha);

// The alpha that makes the likelihood largest. 0: all samples in one cell; infinity: counts not more uneven than those
// of a uniform multinomial; NaN: fewer than two samples, which say nothing of alpha. Otherwise the maximum is finite
// and unique (Levin and Reeds 1977) and is found to about 1e-12.
double alpha_star(const Occupancy& counts);

// The alpha that makes the product of the likelihoods of several tables of `cells` cells each largest. There may be
// several maxima: the largest is taken. `strata` holds the tables' totals, `counts` all their cells.
double alpha_star_pooled(const Occupancy& counts, const Occupancy& strata, double cells);

}  // namespace paucal
