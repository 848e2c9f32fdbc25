// Bayes factors: the ratio itself, against a threshold, and its chi-square form.
#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/isa.hpp"
#include "math/polya_line.hpp"
#include "math/special.hpp"
#include "tests/statistic.hpp"

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

// ln P(D | independent) - ln P(D | dependent), a symmetric Dirichlet prior everywhere, summed over the strata.
class BayesFactor final : public Statistic {
public:
    BayesFactor(double prior, double log_eta, bool stripped, bool strict, std::size_t rows)
        : prior_(prior),
          log_eta_(log_eta),
          stripped_(stripped),
          strict_(strict),
          halves_(2 * prior == std::floor(2 * prior) && rows <= kTableRows) {
        rising_.resize(std::min(rows, kTableRows) + 1);
        for (std::size_t n = 0; n < rising_.size(); ++n) rising_[n] = log_rising(prior, static_cast<double>(n));
    }

    void evaluate(Counts& counts, Outcome& out) const override {
        double value = 0, kx = counts.kx, ky = counts.ky;
        bool informative = false;
        counts.each_slice([&](const Slice& slice) {
            if (stripped_) kx = slice.n_rows, ky = slice.n_columns;
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) value += rising(slice.row_margin[i]);
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) value += rising(slice.column_margin[j]);
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) value -= rising(slice.count[c]);
            const double n = slice.total;
            value += rising(kx * ky * prior_, n) - rising(kx * prior_, n) - rising(ky * prior_, n);
            informative = informative || (slice.n_rows > 1 && slice.n_columns > 1);
            ++out.strata;
        });
        if (!informative) out.flags |= kNoInformation;
        conclude(out, value);
    }

    void neutral(Outcome& out) const override { conclude(out, 0); }

private:
    double rising(double a, double n) const {
        return halves_ ? log_gamma_of_half(2 * (a + n)) - log_gamma_of_half(2 * a) : log_rising(a, n);
    }
    double rising(std::uint32_t n) const { return n < rising_.size() ? rising_[n] : log_rising(prior_, n); }

    void conclude(Outcome& out, double value) const {
        out.statistic = out.nearness = value;
        out.threshold = log_eta_;
        const bool independent = strict_ ? value > log_eta_ + kTie : value >= log_eta_ - kTie;
        out.decision = independent ? Decision::independent : Decision::dependent;
    }

    double prior_, log_eta_;
    bool stripped_, strict_, halves_;
    std::vector<double> rising_;
};

// The paper's BF_chi2: the likelihoods of the Bayes factor replaced by multinomial ones with parameters theta~.
class BayesFactorChi2 final : public Statistic {
public:
    BayesFactorChi2(Levels alpha, double prior, ZeroRule zero, bool reduced, DofRule rule, std::size_t rows)
        : alpha_(std::move(alpha)), line_(prior, zero, rows), reduced_(reduced), rule_(rule) {}

    void evaluate(Counts& counts, Outcome& out) const override {
        double value = 0, adjusted = 0;
        counts.each_slice([&](const Slice& slice) {
            ++out.strata;
            const double dof = (slice.n_rows - 1.) * (slice.n_columns - 1.);
            adjusted += dof;
            if (!reduced_)
                value += stratum(slice, counts.kx, counts.ky);
            else if (dof > 0)
                value += stratum(slice, slice.n_rows, slice.n_columns);
        });
        const double per_stratum = (counts.kx - 1.) * (counts.ky - 1.);
        out.statistic = 2 * value;
        out.dof = rule_ == DofRule::full       ? per_stratum * counts.configurations
                  : rule_ == DofRule::nonempty ? per_stratum * out.strata
                                               : adjusted;
        if (adjusted == 0) out.flags |= kNoInformation;
        conclude(out, chi2_sf(out.statistic, out.dof));
    }

    void neutral(Outcome& out) const override {
        out.statistic = out.dof = 0;
        conclude(out, 1);
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

    void conclude(Outcome& out, double p) const {
        out.p_value = out.nearness = p;
        out.threshold = alpha_.at(out.order);
        out.decision = p > out.threshold ? Decision::independent : Decision::dependent;
    }

    Levels alpha_;
    PolyaLine line_;
    bool reduced_;
    DofRule rule_;
};

}  // namespace

std::unique_ptr<Statistic> bayes_factor(double prior, double log_eta, bool stripped, bool strict, std::size_t rows) {
    return std::make_unique<BayesFactor>(prior, log_eta, stripped, strict, rows);
}

std::unique_ptr<Statistic> bayes_factor_chi2(Levels alpha, double prior, ZeroRule zero, bool reduced, DofRule rule,
                                             std::size_t rows) {
    return std::make_unique<BayesFactorChi2>(std::move(alpha), prior, zero, reduced, rule, rows);
}

}  // namespace paucal
