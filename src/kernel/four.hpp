// Four numbers that are computed with at once, by the same formula. How they are aligned and passed depends on the
// instruction set, so they stay within a file; between files go arrays of doubles.
#pragma once
#include <cstdint>

namespace paucal {

#if defined(__GNUC__)

using Four = double __attribute__((vector_size(32)));

// Whole numbers without a conversion instruction that AVX2 does not have: they are put into the mantissa of 2^52.
static inline Four four_of(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    using Bits = unsigned long long __attribute__((vector_size(32)));
    const std::uint32_t __attribute__((vector_size(16))) counts{a, b, c, d};
    return (Four)(__builtin_convertvector(counts, Bits) | 0x4330000000000000ull) - 0x1p52;
}


static inline Four smaller(Four a, Four b) { return a < b ? a : b; }
static inline Four larger(Four a, Four b) { return a > b ? a : b; }

#else

struct Four {
    double value[4];

    double operator[](int i) const { return value[i]; }
    friend Four operator+(Four a, Four b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}; }
    friend Four operator-(Four a, Four b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]}; }
    friend Four operator*(Four a, Four b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2], a[3] * b[3]}; }
    friend Four operator/(Four a, Four b) { return {a[0] / b[0], a[1] / b[1], a[2] / b[2], a[3] / b[3]}; }
    friend Four operator+(Four a, double b) { return a + Four{b, b, b, b}; }
    friend Four operator-(Four a, double b) { return a - Four{b, b, b, b}; }
    friend Four operator-(double a, Four b) { return Four{a, a, a, a} - b; }
    friend Four operator*(double a, Four b) { return Four{a, a, a, a} * b; }
    friend Four operator/(double a, Four b) { return Four{a, a, a, a} / b; }
    friend Four operator/(Four a, double b) { return a / Four{b, b, b, b}; }
    Four& operator+=(Four b) { return *this = *this + b; }
};

static inline Four four_of(double a, double b, double c, double d) { return {a, b, c, d}; }

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline Four smaller(Four a, Four b) {
    return {smaller(a[0], b[0]), smaller(a[1], b[1]), smaller(a[2], b[2]), smaller(a[3], b[3])};
}
static inline double larger(double a, double b) { return a > b ? a : b; }
static inline Four larger(Four a, Four b) {
    return {larger(a[0], b[0]), larger(a[1], b[1]), larger(a[2], b[2]), larger(a[3], b[3])};
}

#endif

}  // namespace paucal
