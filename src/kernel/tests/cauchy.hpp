// Two p-values combined into one (the Cauchy combination of Liu and Xie 2020).
//
// p = 1/2 - atan(t) / pi, t the mean of tan(pi (1/2 - p_i)), with p_i of at most 0.99: a p-value of exactly 1, as a
// symmetric table has for its trend, would outweigh anything else.
#pragma once
#include <algorithm>
#include <cmath>

#include "math/special.hpp"

namespace paucal {

inline double cauchy_tangent(double p) {
    p = std::clamp(p, 1e-300, .99);
    return p < 1e-8 ? 1 / (kPi * p) : std::tan(kPi * (.5 - p));
}
inline double cauchy_mean(double a, double b) { return (cauchy_tangent(a) + cauchy_tangent(b)) / 2; }
// The same as 1/2 - atan(t) / pi, without a difference of nearly equal numbers where t is large.
inline double cauchy_p(double t) { return std::atan2(1., t) / kPi; }

}  // namespace paucal
