// The test `chi2-perm`: the smoothed chi-square, summed over the strata, against its permutation distribution.
#include <algorithm>
#include <cmath>

#include "math/special.hpp"
#include "tests/permutation_moments.hpp"
#include "tests/statistic.hpp"

namespace paucal {
namespace {

double log_factorials(const std::uint32_t* count, std::uint32_t n) {
    double sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) sum += log_factorial(count[i]);
    return sum;
}

class Chi2Perm final : public Statistic {
public:
    Chi2Perm(Levels alpha, bool guard, bool act) : alpha_(std::move(alpha)), guard_(guard), act_(act) {}

    void evaluate(Counts& counts, Outcome& out) const override {
        const SmoothedChi2Sum sum(counts);
        const double alpha = alpha_.at(counts.order);
        double p = 1;
        out.strata = sum.strata;
        if (sum.silent) {
            out.flags |= kNoInformation | kPowerless;
        } else {
            p = pearson3_sf(sum.statistic, sum.cumulants);
            if (guard_) p = std::max(p, probability(counts));
            if (p > alpha && !can_reach(counts, sum, alpha)) out.flags |= kPowerless;
        }
        conclude(out, sum.statistic, p, alpha);
    }

    void neutral(Outcome& out) const override {
        out.flags |= kPowerless;
        conclude(out, 0, 1, alpha_.at(out.order));
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
        return sum.silent ? 1 : smallest_p(counts, sum.cumulants);
    }

private:
    void conclude(Outcome& out, double statistic, double p, double alpha) const {
        out.statistic = statistic;
        out.p_value = out.nearness = p;
        out.threshold = alpha;
        out.decision = p > alpha ? Decision::independent : Decision::dependent;
        if (act_ && out.flags & kPowerless) out.decision = Decision::undecidable;
    }

    // Whether some table with these margins has a p-value up to alpha; in doubt yes. Cheap proofs come first.
    bool can_reach(Counts& counts, const SmoothedChi2Sum& sum, double alpha) const {
        if (guard_) return reaches(smallest_p(counts, sum.cumulants), alpha);
        // Cantelli's inequality: under any distribution there is at most alpha beyond this distance.
        const double far = sum.cumulants.mean + std::sqrt((1 - alpha) / alpha * sum.cumulants.variance);
        if (sum.within_reach > far || pearson3_sf(sum.within_reach, sum.cumulants) <= alpha) return true;
        double reach = 0;
        counts.each_slice([&](const Slice& slice) { reach += says_nothing(slice) ? 0 : SmoothedChi2(slice).reach(); });
        return reaches(pearson3_sf(reach, sum.cumulants), alpha) || reaches(smallest_p(counts, sum.cumulants), alpha);
    }

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

    Levels alpha_;
    bool guard_, act_;
};

}  // namespace

// No product of cell factorials exceeds that of the row or of the column margins.
double log_rarest_table(const Slice& slice) {
    return std::max(log_factorials(slice.row_margin, slice.n_rows),
                    log_factorials(slice.column_margin, slice.n_columns)) -
           log_factorial(slice.total);
}

std::unique_ptr<Statistic> chi2_perm_statistic(Levels alpha, bool guard, bool act) {
    return std::make_unique<Chi2Perm>(std::move(alpha), guard, act);
}

}  // namespace paucal
