#include "math/polya_line.hpp"

#include <algorithm>
#include <cmath>

#include "math/special.hpp"

namespace paucal {

PolyaLine::PolyaLine(double alpha, ZeroRule zero)
    : alpha_(alpha), log_gamma_alpha_(log_gamma(alpha)),
      at_zero_(zero == ZeroRule::limit ? std::exp(digamma(alpha)) : 0), zero_(zero),
      table_([this](std::uint32_t n) { return computed(n); }) {}

// t(n) = (Gamma(n + alpha) / Gamma(alpha))^(1/n) lies near n / e: only the difference carries information.
double PolyaLine::computed(std::uint32_t count) const {
    if (count == 0) return at_zero_;
    const double n = count;
    if (n < 16) return std::exp(log_rising(alpha_, n) / n) - n / kE;
    // n (ln t(n) - ln n + 1), with Stirling's formula put in so that nothing cancels
    const double scaled = n * std::log1p(alpha_ / n) + (alpha_ - .5) * std::log(n + alpha_) - alpha_ + kHalfLogTwoPi +
                          stirling_error(n + alpha_) - log_gamma_alpha_;
    return n / kE * std::expm1(scaled / n);
}

Line PolyaLine::fit(const std::uint32_t* counts, std::size_t size, double cells) const {
    double sum = 0, sum_above = 0;
    bool equal = true;
    for (std::size_t i = 0; i < size; ++i) {
        sum += counts[i];
        sum_above += above_line(counts[i]);
        equal = equal && counts[i] == counts[0];
    }
    const double empty = cells - static_cast<double>(size), left_in = zero_ == ZeroRule::drop ? 0 : empty;
    if (equal && left_in == 0) {
        // One equation for two unknowns: all cells get the same; with cells left out, the solution of least norm.
        if (empty == 0) return {0, 1};
        return {static_cast<double>(counts[0]), alpha_ * alpha_};
    }
    const double used = static_cast<double>(size) + left_in;
    sum_above += left_in * at_zero_;
    const double mean = sum / used, mean_above = sum_above / used;
    double variance = left_in * mean * mean, covariance = -left_in * mean * (at_zero_ - mean_above);
    for (std::size_t i = 0; i < size; ++i) {
        const double d = counts[i] - mean;
        variance += d * d;
        covariance += d * (above_line(counts[i]) - mean_above);
    }
    const double above = covariance / variance, constant = mean_above - above * mean;
    // Pseudo-counts are not negative: the best line with a constant of at least 0 goes through the origin then.
    if (constant < 0) return {1, 0};
    return {1 / kE + above, constant};
}

}  // namespace paucal
