// Sums of logarithms and of digamma functions, and deviances: one table of functions per instruction set, as in isa.hpp.
#pragma once
#include <cstddef>
#include <cstdint>

namespace paucal {

struct HotSums {
    // Arrays are as long as the next multiple of 4; entries beyond `size` must hold a valid argument and weight 0.
    double (*log)(const double* x, const double* weight, std::size_t size);      // 1e-300 < x < 1e300
    double (*digamma)(const double* x, const double* weight, std::size_t size);  // 1e-3 < x < 1e300

    // value = sum of weight * [psi(a + n) - psi(a + 1)], slope = minus its derivative, over counts n.
    // reaching[j] is the weight of all n above j + 1, j = 0..7; n and weight list those above 9, as above.
    void (*harmonic)(const double* reaching, const double* n, const double* weight, std::size_t size, double a,
                     double* value, double* slope);

    // mean = row * column / total, and out = n ln(n / mean) + mean - n by its series, if n is near the mean. Where it is
    // not, `out` means nothing; `far` lists these, and how many they are is returned. The size is a multiple of four.
    std::size_t (*deviances)(const double* n, const double* row, const double* column, const double* total,
                             std::size_t size, double* mean, double* out, std::uint32_t* far);
};

inline constexpr int kDirectTerms = 8;
inline constexpr double kNear = .1;  // a count is near its mean if they differ by so much of their sum

}  // namespace paucal
