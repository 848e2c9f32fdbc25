// The test `chi2-perm`: the smoothed chi-square, summed over the strata, against its permutation distribution.
#include <algorithm>
#include <cmath>

#include "math/special.hpp"
#include "tests/permutation_moments.hpp"
#include "tests/options.hpp"

namespace paucal {
namespace {

double log_factorials(const std::uint32_t* count, std::uint32_t n) {
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += log_factorial(count[i]);
    return sum;
}

class Chi2Perm final : public Statistic {
public:
    explicit Chi2Perm(bool guard) : Statistic({.p_value = true, .reach = true}), guard_(guard) {}

    Reading read(Counts& counts) const override {
        const SmoothedChi2Sum sum(counts);
        Reading out;
        out.statistic = sum.statistic;
        out.strata = sum.strata;
        out.informative = sum.informative;
        out.permuted = sum.cumulants;
        out.within_reach = sum.within_reach;
        out.p_value = 1;
        if (sum.informative > 0) {
            out.p_value = pearson3_sf(sum.statistic, sum.cumulants);
            if (guard_) out.p_value = std::max(out.p_value, probability(counts));
        }
        return out;
    }

    double dependence(Counts& counts) const override {
        double statistic = 0;
        counts.each_slice([&](const Slice& slice) {
            if (!says_nothing(slice)) statistic += SmoothedChi2(slice).statistic();
        });
        return statistic;
    }

    double smallest_p(Counts& counts) const override {
        const SmoothedChi2Sum sum(counts);
        return sum.informative == 0 ? 1 : smallest_p(counts, sum.cumulants);
    }

    // Cheap proofs come first.
    bool can_reach(Counts& counts, const Reading& reading, double level) const override {
        if (reading.informative == 0) return false;
        const Cumulants& permuted = reading.permuted;
        if (guard_) return reaches(smallest_p(counts, permuted), level);
        // Cantelli's inequality: under any distribution there is at most this much beyond this distance.
        const double far = permuted.mean + std::sqrt((1 - level) / level * permuted.variance);
        if (reading.within_reach > far || pearson3_sf(reading.within_reach, permuted) <= level) return true;
        double reach = 0;
        counts.each_slice([&](const Slice& slice) { reach += says_nothing(slice) ? 0 : SmoothedChi2(slice).reach(); });
        return reaches(pearson3_sf(reach, permuted), level) || reaches(smallest_p(counts, permuted), level);
    }

private:
    double smallest_p(Counts& counts, const Cumulants& cumulants) const {
        double most = 0, log_rarest = 0;
        counts.each_slice([&](const Slice& slice) {
            if (says_nothing(slice)) return;
            most += SmoothedChi2(slice).reach_at_most();
            if (guard_) log_rarest += log_rarest_table(slice);
        });
        return std::max(pearson3_sf(most, cumulants), guard_ ? std::exp(log_rarest) : 0);
    }

    // Chance of the table at hand among all with its margins: part of the exact p-value.
    static double probability(Counts& counts) {
        double log_chance = 0;
        counts.each_slice([&](const Slice& slice) {
            if (says_nothing(slice)) return;
            log_chance += log_factorials(slice.row_margin, slice.n_rows) +
                          log_factorials(slice.column_margin, slice.n_columns) - log_factorial(slice.total) -
                          log_factorials(slice.count, slice.n_cells);
        });
        return std::exp(log_chance);
    }

    bool guard_;
};

}  // namespace

// No product of cell factorials exceeds that of the row or of the column margins.
double log_rarest_table(const Slice& slice) {
    return std::max(log_factorials(slice.row_margin, slice.n_rows),
                    log_factorials(slice.column_margin, slice.n_columns)) -
           log_factorial(slice.total);
}

// `guard`: the p-value is at least the chance of the table at hand.
SharedStatistic chi2_perm_statistic(Options& options) { return std::make_shared<Chi2Perm>(options.flag("guard")); }

}  // namespace paucal
