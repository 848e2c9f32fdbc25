// Bayes factors: the ratio itself, against a threshold, and its chi-square form.
#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/isa.hpp"
#include "math/count_table.hpp"
#include "math/polya_line.hpp"
#include "math/special.hpp"
#include "tests/degrees_of_freedom.hpp"

namespace paucal {
namespace {

// ln Gamma of whole and half numbers, which is all that the usual priors 1/2 and 1 ask for.
double log_gamma_of_half(double twice) {
    static const std::vector<double> table = [] {
        std::vector<double> values(2 * kTableRows + 512);
        for (std::size_t m = 1; m < values.size(); ++m) values[m] = log_gamma(static_cast<double>(m) / 2);
        return values;
    }();
    return twice < static_cast<double>(table.size()) ? table[static_cast<std::size_t>(twice)] : log_gamma(twice / 2);
}

// ln P(D | independent) - ln P(D | dependent), a symmetric Dirichlet prior everywhere: the sum over the strata, or the
// least of them, which is that of the stratum where dependence shows most.
class BayesFactor final : public Statistic {
public:
    BayesFactor(double prior, bool stripped, bool each)
        : Statistic({}), prior_(prior), stripped_(stripped), each_(each), halves_(2 * prior == std::floor(2 * prior)),
          rising_([prior](std::uint32_t n) { return log_rising(prior, n); }) {}

    Reading read(Counts& counts) const override {
        Reading out;
        double sum = 0, least = 0, kx = counts.kx, ky = counts.ky;
        counts.each_slice([&](const Slice& slice) {
            double value = 0;
            if (stripped_) kx = slice.n_rows, ky = slice.n_columns;
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) value += rising(slice.row_margin[i]);
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) value += rising(slice.column_margin[j]);
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) value -= rising(slice.count[c]);
            const double n = slice.total;
            value += rising(kx * ky * prior_, n) - rising(kx * prior_, n) - rising(ky * prior_, n);
            sum += value, least = out.strata ? std::min(least, value) : value;
            ++out.strata, out.informative += slice.n_rows > 1 && slice.n_columns > 1;
        });
        out.statistic = each_ ? least : sum;
        return out;
    }

    double dependence(Counts& counts) const override { return -read(counts).statistic; }

private:
    double rising(double a, double n) const {
        return halves_ && n <= kTableRows ? log_gamma_of_half(2 * (a + n)) - log_gamma_of_half(2 * a) : log_rising(a, n);
    }
    double rising(std::uint32_t n) const {
        return rising_.at(n, [this](std::uint32_t m) { return log_rising(prior_, m); });
    }

    double prior_;
    bool stripped_, each_, halves_;
    CountTable rising_;
};

// The paper's BF_chi2: the likelihoods of the Bayes factor replaced by multinomial ones with parameters theta~.
class BayesFactorChi2 final : public Statistic {
public:
    BayesFactorChi2(double prior, ZeroRule zero, bool reduced, DofRule rule)
        : Statistic({.dof = true, .p_value = true}), line_(prior, zero), reduced_(reduced), rule_(rule) {}

    Reading read(Counts& counts) const override {
        Reading out;
        double value = 0, adjusted = 0;
        counts.each_slice([&](const Slice& slice) {
            const double dof = (slice.n_rows - 1.) * (slice.n_columns - 1.);
            ++out.strata, out.informative += dof > 0;
            adjusted += dof;
            if (!reduced_)
                value += stratum(slice, counts.kx, counts.ky);
            else if (dof > 0)
                value += stratum(slice, slice.n_rows, slice.n_columns);
        });
        out.statistic = 2 * value;
        out.dof = degrees_of_freedom(rule_, counts, out.strata, adjusted);
        out.p_value = chi2_sf(out.statistic, out.dof);
        return out;
    }

private:
    double stratum(const Slice& s, double kx, double ky) const {
        const Line x = line_.fit(s.row_margin, s.n_rows, kx), y = line_.fit(s.column_margin, s.n_columns, ky);
        const Line xy = line_.fit(s.count, s.n_cells, kx * ky);
        const double n = s.total;
        const double scale = (x.slope * n + kx * x.constant) * (y.slope * n + ky * y.constant) /
                             (xy.slope * n + kx * ky * xy.constant);
        constexpr std::uint32_t kRoom = 64;
        double ratio[kRoom], count[kRoom], value = 0;
        for (std::uint32_t begin = 0; begin < s.n_cells; begin += kRoom) {
            const std::uint32_t size = std::min(kRoom, s.n_cells - begin);
            std::uint32_t i = 0;
            for (; i < size; ++i) {
                const std::uint32_t c = begin + i;
                count[i] = s.count[c];
                ratio[i] = xy.at(count[i]) * scale /
                           (x.at(s.row_margin[s.row[c]]) * y.at(s.column_margin[s.column[c]]));
            }
            for (; i % 4; ++i) count[i] = 0, ratio[i] = 1;
            value += hot().sums.log(ratio, count, i);
        }
        return value;
    }

    PolyaLine line_;
    bool reduced_;
    DofRule rule_;
};

}  // namespace

// prior: of every cell and of every margin; stripped: without the rows and columns that a stratum does not have; each:
// the least stratum decides.
SharedStatistic bayes_factor(Options& options) {
    const double prior = options.positive_number("prior");
    const bool stripped = options.flag("stripped");
    return std::make_shared<BayesFactor>(prior, stripped, options.flag("each"));
}

// reduced: strata without their empty rows and columns.
SharedStatistic bayes_factor_chi2(Options& options) {
    const double prior = options.positive_number("prior");
    const auto zero = options.choice<ZeroRule>(
        "zero", {{"limit", ZeroRule::limit}, {"drop", ZeroRule::drop}, {"nought", ZeroRule::nought}});
    const bool reduced = options.flag("reduced");
    return std::make_shared<BayesFactorChi2>(prior, zero, reduced, dof_rule(options));
}

}  // namespace paucal
