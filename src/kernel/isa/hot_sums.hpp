// Sums of logarithms and of digamma functions: one table of functions per instruction set, as in isa.hpp.
#pragma once
#include <cstddef>

namespace paucal {

struct HotSums {
    // Arrays are as long as the next multiple of 4; entries beyond `size` must hold a valid argument and weight 0.
    double (*log)(const double* x, const double* weight, std::size_t size);      // 1e-300 < x < 1e300
    double (*digamma)(const double* x, const double* weight, std::size_t size);  // 1e-3 < x < 1e300

    // value = sum of weight * [psi(a + n) - psi(a + 1)], slope = minus its derivative, over counts n.
    // reaching[j] is the weight of all n above j + 1, j = 0..7; n and weight list those above 9, as above.
    void (*harmonic)(const double* reaching, const double* n, const double* weight, std::size_t size, double a,
                     double* value, double* slope);
};

inline constexpr int kDirectTerms = 8;

}  // namespace paucal
