// Random variates as logarithms: those of small shapes would be nothing but zeros otherwise.
#pragma once
#include <cmath>
#include <cstddef>

#include "math/random.hpp"

namespace paucal {

// A standard normal number (polar method, Marsaglia 1962; the second of the pair is not used).
inline double draw_normal(Random& random) {
    for (;;) {
        const double u = 2 * random.uniform() - 1, v = 2 * random.uniform() - 1, s = u * u + v * v;
        if (s > 0 && s < 1) return u * std::sqrt(-2 * std::log(s) / s);
    }
}

// ln of a gamma variate of the given shape and scale 1 (Marsaglia and Tsang 2000).
inline double draw_log_gamma(double shape, Random& random) {
    double boost = 0;
    if (shape < 1) {
        boost = std::log1p(-random.uniform()) / shape;
        shape += 1;
    }
    const double d = shape - 1. / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(random), root = 1 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root;
        if (std::log1p(-random.uniform()) < x * x / 2 + d - d * v + d * std::log(v)) return std::log(d * v) + boost;
    }
}

// One of n places with the given weights, which are not all zero.
inline std::size_t draw_place(const double* weight, std::size_t n, double total, Random& random) {
    double left = random.uniform() * total;
    std::size_t place = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (weight[i] > 0) place = i;
        left -= weight[i];
        if (left < 0) break;
    }
    return place;
}

}  // namespace paucal
