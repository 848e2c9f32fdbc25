#include "tests/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/isa.hpp"
#include "math/special.hpp"

namespace paucal {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Per unit of u = ln alpha, up to a constant.
double log_posterior(const Occupancy& counts, double u) {
    const double a = std::exp(u), k = counts.cells;
    const double prior = k * trigamma(k * a + 1) - trigamma(a + 1);
    return prior > 0 ? polya(counts, a) + std::log(prior) + u : -kInfinity;
}

}  // namespace

// Trapezoids in u: the integrand is analytic and falls exponentially on both sides, so that halving the step squares the
// error. Halved until the mean stands still.
double average_over_alpha(const Occupancy& counts, const std::function<double(double)>& of_alpha) {
    const double star = alpha_star(counts);
    double peak = star > 0 && star < 1e6 ? std::log(star) : star == 0 ? 0 : std::log1p(counts.total);
    double top = log_posterior(counts, peak), next;
    for (double walk = 1; walk > .1; walk /= 2)
        for (const double side : {walk, -walk})
            for (; (next = log_posterior(counts, peak + side)) > top; top = next) peak += side;
    double step = .5;  // one that does not jump over the peak
    while (step > 1e-4 &&
           top - std::min(log_posterior(counts, peak + step), log_posterior(counts, peak - step)) > 2)
        step /= 2;

    double weight = 0, sum = 0;
    const auto add = [&](double from, double by) {
        for (double u = from;; u += by) {
            const double w = std::exp(log_posterior(counts, u) - top);
            weight += w;
            if (w > 0) sum += w * of_alpha(std::exp(u));
            if (w < 1e-14 * weight) return;
        }
    };
    add(peak, step);
    add(peak - step, -step);
    for (int halvings = 0; halvings < 20; ++halvings) {
        const double before = sum / weight;
        add(peak + step / 2, step);
        add(peak - step / 2, -step);
        step /= 2;
        if (std::fabs(sum / weight - before) <= 1e-11 * before + 1e-15) break;
    }
    return sum / weight;
}

namespace {

// A sum of times * m psi(m + 1), collected and evaluated many at a time.
class DigammaSum {
public:
    void add(double m, double times) {
        x_[used_] = m + 1;
        weight_[used_] = times * m;
        if (++used_ == kRoom) flush();
    }
    double value() {
        flush();
        return sum_;
    }

private:
    static constexpr std::size_t kRoom = 64;

    void flush() {
        std::size_t padded = used_;
        for (; padded % 4; ++padded) x_[padded] = 1, weight_[padded] = 0;
        sum_ += sums_.digamma(x_, weight_, padded);
        used_ = 0;
    }

    const HotSums& sums_ = hot().sums;
    std::size_t used_ = 0;
    double sum_ = 0, x_[kRoom], weight_[kRoom];
};

// Sum of m psi(m + 1) over stratum and cells, minus that over rows and columns; m is count plus prior.
double information_terms(const Slice& slice, double kx, double ky, double alpha) {
    const double rows = alpha * ky, columns = alpha * kx;
    DigammaSum sum;
    sum.add(slice.total + alpha * kx * ky, 1);
    for (std::uint32_t c = 0; c < slice.n_cells; ++c) sum.add(slice.count[c] + alpha, 1);
    for (std::uint32_t i = 0; i < slice.n_rows; ++i) sum.add(slice.row_margin[i] + rows, -1);
    for (std::uint32_t j = 0; j < slice.n_columns; ++j) sum.add(slice.column_margin[j] + columns, -1);
    if (alpha > 0) {
        if (const double empty = kx * ky - slice.n_cells; empty > 0) sum.add(alpha, empty);
        if (kx > slice.n_rows) sum.add(rows, slice.n_rows - kx);
        if (ky > slice.n_columns) sum.add(columns, slice.n_columns - ky);
    }
    return sum.value();
}

}  // namespace

double finite_configurations(const Counts& counts) { return std::min(counts.configurations, 1e280); }

double posterior_information(const Slice& slice, double kx, double ky, double alpha) {
    return std::max(0., information_terms(slice, kx, ky, alpha) / (slice.total + alpha * kx * ky));
}

double posterior_information(Counts& counts, double alpha) {
    const double kx = counts.kx, ky = counts.ky, configurations = finite_configurations(counts);
    double sum = 0, observed = 0;
    counts.each_slice([&](const Slice& slice) {
        sum += information_terms(slice, kx, ky, alpha);
        ++observed;
    });
    if (configurations > observed && alpha > 0) {
        const Slice nothing{};
        sum += (configurations - observed) * information_terms(nothing, kx, ky, alpha);
    }
    return std::max(0., sum / (counts.total + alpha * kx * ky * configurations));
}

}  // namespace paucal
