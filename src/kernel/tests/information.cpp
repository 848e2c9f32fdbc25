// Mutual information as a test: plug-in, and posterior means under three treatments of the Dirichlet prior.
#include <cmath>
#include <utility>

#include "math/dirichlet.hpp"
#include "tests/information.hpp"
#include "tests/posterior.hpp"

namespace paucal {

void Information::evaluate(Counts& counts, Outcome& out) const {
    Threshold::Sum threshold(threshold_, counts.kx, counts.ky, counts.configurations, counts.order);
    Reading reading;
    estimate(counts, reading, threshold);
    out.statistic = reading.information;
    out.nearness = -out.statistic;
    out.threshold = threshold.value();
    out.strata = reading.strata;
    if (!reading.informative) out.flags |= kNoInformation;
    const bool independent = !reading.informative || out.statistic < out.threshold;
    out.decision = independent ? Decision::independent : Decision::dependent;
}

void Information::neutral(Outcome& out) const {
    out.statistic = out.nearness = 0;
    out.decision = Decision::independent;
}

namespace {

// G / 2N: the G statistic knows how to add it up without losing digits.
class PlugIn final : public Information {
public:
    PlugIn(Threshold threshold, std::size_t rows)
        : Information(std::move(threshold)), g_(g_statistic(.5, DofRule::adjusted, rows)) {}

private:
    void estimate(Counts& counts, Reading& reading, Threshold::Sum& threshold) const override {
        each(counts, reading, threshold, [](const Slice&) { return 0.; });
        Outcome g;
        g_->evaluate(counts, g);
        reading.information = g.statistic / (2. * counts.total);
    }

    std::unique_ptr<Statistic> g_;
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
    EmpiricalBayes(Threshold threshold, Conditional conditional)
        : Information(std::move(threshold)), conditional_(conditional) {}

private:
    void estimate(Counts& counts, Reading& reading, Threshold::Sum& threshold) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (counts.order == 0 || conditional_ == Conditional::stratum) {
            each(counts, reading, threshold, [&](const Slice& slice) {
                const double alpha = alpha_star(cells_of(slice, kx * ky));
                return inner(alpha) ? posterior_information(slice, kx, ky, alpha) : 0;
            });
        } else if (conditional_ == Conditional::joint) {
            each(counts, reading, threshold, [](const Slice&) { return 0.; });
            const double alpha = alpha_star(cells_of(counts));
            reading.information = inner(alpha) ? posterior_information(counts, alpha) : 0;
        } else {
            const double alpha = pooled(counts);
            each(counts, reading, threshold, [&](const Slice& slice) {
                return inner(alpha) ? posterior_information(slice, kx, ky, alpha) : 0;
            });
        }
    }

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
    FixedPrior(Threshold threshold, Conditional conditional, double prior, bool shared)
        : Information(std::move(threshold)), conditional_(conditional), prior_(prior), shared_(shared) {}

private:
    void estimate(Counts& counts, Reading& reading, Threshold::Sum& threshold) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (conditional_ == Conditional::joint) {
            each(counts, reading, threshold, [](const Slice&) { return 0.; });
            reading.information = posterior_information(counts, shared_ ? prior_ / all_cells(counts) : prior_);
            return;
        }
        const double alpha = shared_ ? prior_ / (kx * ky) : prior_;
        each(counts, reading, threshold,
             [&](const Slice& slice) { return posterior_information(slice, kx, ky, alpha); });
    }

    Conditional conditional_;
    double prior_;
    bool shared_;
};

// The posterior mean over all priors, with the weight of Nemenman, Shafee and Bialek on alpha.
class FullBayes final : public Information {
public:
    FullBayes(Threshold threshold, Conditional conditional)
        : Information(std::move(threshold)), conditional_(conditional) {}

private:
    void estimate(Counts& counts, Reading& reading, Threshold::Sum& threshold) const override {
        const double kx = counts.kx, ky = counts.ky;
        if (conditional_ == Conditional::joint && counts.order > 0) {
            each(counts, reading, threshold, [](const Slice&) { return 0.; });
            const Occupancy cells = cells_of(counts);
            reading.information = average_over_alpha(cells, [&](double a) { return posterior_information(counts, a); });
            return;
        }
        each(counts, reading, threshold, [&](const Slice& slice) {
            return average_over_alpha(cells_of(slice, kx * ky),
                                      [&](double a) { return posterior_information(slice, kx, ky, a); });
        });
    }

    Conditional conditional_;
};

}  // namespace

std::unique_ptr<Statistic> plug_in_information(Threshold threshold, std::size_t rows) {
    return std::make_unique<PlugIn>(std::move(threshold), rows);
}
std::unique_ptr<Statistic> empirical_bayes_information(Threshold threshold, Conditional conditional) {
    return std::make_unique<EmpiricalBayes>(std::move(threshold), conditional);
}
std::unique_ptr<Statistic> fixed_prior_information(Threshold threshold, Conditional conditional, double prior,
                                                   bool shared) {
    return std::make_unique<FixedPrior>(std::move(threshold), conditional, prior, shared);
}
std::unique_ptr<Statistic> full_bayes_information(Threshold threshold, Conditional conditional) {
    return std::make_unique<FullBayes>(std::move(threshold), conditional);
}

}  // namespace paucal
