// Mutual information as a test: plug-in, and posterior means under three treatments of the Dirichlet prior.
#include <cmath>

#include "math/dirichlet.hpp"
#include "tests/information.hpp"
#include "tests/posterior.hpp"
#include "tests/statistic.hpp"

namespace paucal {
namespace {

// How an estimate of information becomes conditional: strata on their own, weighted by their samples; one prior over
// the cells of all strata; one prior shared by strata that are otherwise on their own.
enum class Conditional : std::uint8_t { stratum, joint, pooled };

// G / 2N: the G statistic knows how to add it up without losing digits.
class PlugIn final : public Information {
public:
    Reading read(Counts& counts) const override {
        Reading reading = g_->read(counts);
        reading.statistic /= 2. * counts.total;
        reading.dof = reading.p_value = kNone;
        return reading;
    }

private:
    SharedStatistic g_ = make_statistic("g", {{"df", "adjusted"}});
};

constexpr std::size_t kManyCells = 64;  // from here on equal counts are merged before alpha* is sought

double all_cells(const Counts& counts) { return finite_configurations(counts) * counts.kx * counts.ky; }

// Each thread's list of counts; allocated once.
Occupancy& scratch() {
    thread_local Occupancy occupancy;
    return occupancy;
}

const Occupancy& cells_of(const Slice& slice, double cells) {
    Occupancy& out = scratch();
    out.clear(cells);
    out.add(slice.count, slice.n_cells);
    out.finish(slice.n_cells > kManyCells);
    return out;
}

const Occupancy& cells_of(Counts& counts) {
    Occupancy& out = scratch();
    out.clear(all_cells(counts));
    counts.each_slice([&](const Slice& slice) { out.add(slice.count, slice.n_cells); });
    out.finish(out.n.size() > kManyCells);
    return out;
}

// A boundary value of alpha* means no information: 0 where all samples share a cell, infinity where nothing is uneven.
bool inner(double alpha) { return alpha > 0 && std::isfinite(alpha); }

// The paper's I^eB: the posterior mean at the prior that the data make most likely.
class EmpiricalBayes final : public Information {
public:
    explicit EmpiricalBayes(Conditional conditional) : conditional_(conditional) {}

    Reading read(Counts& counts) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (counts.order == 0 || conditional_ == Conditional::stratum)
            return each(counts, [&](const Slice& slice) {
                const double alpha = alpha_star(cells_of(slice, kx * ky));
                return inner(alpha) ? posterior_information(slice, kx, ky, alpha) : 0;
            });
        if (conditional_ == Conditional::joint) {
            Reading reading = strata_of(counts);
            const double alpha = alpha_star(cells_of(counts));
            reading.statistic = inner(alpha) ? posterior_information(counts, alpha) : 0;
            return reading;
        }
        const double alpha = pooled(counts);
        return each(counts, [&](const Slice& slice) {
            return inner(alpha) ? posterior_information(slice, kx, ky, alpha) : 0;
        });
    }

private:
    static double pooled(Counts& counts) {
        Occupancy cells, strata;
        cells.clear(0);
        strata.clear(0);
        counts.each_slice([&](const Slice& slice) {
            cells.add(slice.count, slice.n_cells);
            strata.add(&slice.total, 1);
        });
        cells.finish(true);
        strata.finish(true);
        return alpha_star_pooled(cells, strata, double{1} * counts.kx * counts.ky);
    }

    Conditional conditional_;
};

// Hutter's posterior mean with a prior chosen in advance: a number per cell, or one to be shared by all cells.
class FixedPrior final : public Information {
public:
    FixedPrior(Conditional conditional, double prior, bool shared)
        : conditional_(conditional), prior_(prior), shared_(shared) {}

    Reading read(Counts& counts) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (conditional_ == Conditional::joint) {
            Reading reading = strata_of(counts);
            reading.statistic = posterior_information(counts, shared_ ? prior_ / all_cells(counts) : prior_);
            return reading;
        }
        const double alpha = shared_ ? prior_ / (kx * ky) : prior_;
        return each(counts, [&](const Slice& slice) { return posterior_information(slice, kx, ky, alpha); });
    }

private:
    Conditional conditional_;
    double prior_;
    bool shared_;
};

// The posterior mean over all priors, with the weight of Nemenman, Shafee and Bialek on alpha.
class FullBayes final : public Information {
public:
    explicit FullBayes(Conditional conditional) : Information({.slow = true}), conditional_(conditional) {}

    Reading read(Counts& counts) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (conditional_ == Conditional::joint && counts.order > 0) {
            Reading reading = strata_of(counts);
            const Occupancy cells = cells_of(counts);
            reading.statistic = average_over_alpha(cells, [&](double a) { return posterior_information(counts, a); });
            return reading;
        }
        return each(counts, [&](const Slice& slice) {
            return average_over_alpha(cells_of(slice, kx * ky),
                                      [&](double a) { return posterior_information(slice, kx, ky, a); });
        });
    }

private:
    Conditional conditional_;
};

Conditional conditional_of(Options& options) {
    return options.choice<Conditional>("conditional", {{"stratum", Conditional::stratum}, {"joint", Conditional::joint}});
}

}  // namespace

SharedStatistic plug_in_information(Options&) { return std::make_shared<PlugIn>(); }

SharedStatistic empirical_bayes_information(Options& options) {
    return std::make_shared<EmpiricalBayes>(options.choice<Conditional>(
        "conditional",
        {{"stratum", Conditional::stratum}, {"joint", Conditional::joint}, {"pooled", Conditional::pooled}}));
}

SharedStatistic fixed_prior_information(Options& options) {
    const Conditional conditional = conditional_of(options);
    const double prior = options.number_from_0("prior");
    return std::make_shared<FixedPrior>(conditional, prior, options.flag("shared"));
}

SharedStatistic full_bayes_information(Options& options) {
    return std::make_shared<FullBayes>(conditional_of(options));
}

}  // namespace paucal
