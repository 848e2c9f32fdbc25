// Compiled once per instruction set; PAUCAL_ISA is the suffix of the table defined here. Raw pointers and built-ins only,
// for the reason given in hot_counts.cpp. Every loop is a fixed number of lanes wide and is compiled without fused operations,
// so that all instruction sets give the same bits.
#include "isa/four.hpp"
#include "isa/hot_sums.hpp"

#define PAUCAL_JOIN_(a, b) a##b
#define PAUCAL_JOIN(a, b) PAUCAL_JOIN_(a, b)

namespace paucal {
namespace {

using Bits = unsigned long long;

// ln x: exponent and mantissa apart; the mantissa, in sqrt(1/2) .. sqrt(2), by 2 artanh((m - 1) / (m + 1)).
inline double log_of(double x) {
    constexpr Bits kRoot = 0x3FE6A09E667F3BCDull;  // sqrt(1/2)
    const Bits bits = __builtin_bit_cast(Bits, x), above = bits - kRoot;
    // The exponent as a double, without a conversion instruction that AVX2 does not have.
    const double exponent =
        __builtin_bit_cast(double, ((above + 0x4000000000000000ull) >> 52) | 0x4330000000000000ull) -
        4503599627371520.;  // 2^52 + 1024
    const double m = __builtin_bit_cast(double, (above & 0x000FFFFFFFFFFFFFull) + kRoot);
    const double f = m - 1, s = f / (m + 1), z = s * s, w = z * z;
    const double even = w * (2. / 5 + w * (2. / 9 + w * (2. / 13 + w * (2. / 17))));
    const double odd = z * (2. / 3 + w * (2. / 7 + w * (2. / 11 + w * (2. / 15 + w * (2. / 19)))));
    // 2 s = f - s f, and f is exact
    const double low = s * (even + odd - f);
    return exponent * 6.93147180369123816490e-01 + (f + (low + exponent * 1.90821492927058770002e-10));
}

// psi(x) = psi(x + 8) - sum of 1 / (x + j), the sum as one fraction in t = x (x + 7).
inline double digamma_of(double x) {
    const double t = x * (x + 7), a = t * (t + 6), b = (t + 10) * (t + 12);
    const double below = (2 * x + 7) * ((2 * t + 6) * b + (2 * t + 22) * a) / (a * b);
    const bool small = x < 9;
    const double large = small ? x + 8 : x, y = 1 / large, z = y * y, w = z * z;
    const double series = ((1. / 12 - z * (1. / 120)) + w * (1. / 252 - z * (1. / 240))) +
                          (w * w) * ((1. / 132 - z * (691. / 32760)) + w * (1. / 12 - z * (3617. / 8160)));
    return (log_of(large) - (y / 2 + z * series)) - (small ? below : 0);
}

template <class F> inline double weighted(const double* x, const double* weight, std::size_t size, F of) {
    double sum[4] = {0, 0, 0, 0};
    for (std::size_t i = 0; i < size; i += 4)
        for (int lane = 0; lane < 4; ++lane) sum[lane] += weight[i + lane] * of(x[i + lane]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// The first terms of the harmonic sums are added as they are, for all counts at once; from a + 9 on the asymptotic
// series of psi take over: value good to 1e-13, slope to 1e-8, which the position of a maximum cannot feel.
void harmonic(const double* reaching, const double* n, const double* weight, std::size_t size, double a, double* value,
              double* slope) {
    double y[kDirectTerms], direct[kDirectTerms], squares[kDirectTerms];
    for (int j = 0; j < kDirectTerms; ++j) y[j] = 1 / (a + (j + 1));
    for (int j = 0; j < kDirectTerms; ++j) direct[j] = reaching[j] * y[j];
    for (int j = 0; j < kDirectTerms; ++j) squares[j] = direct[j] * y[j];
    *value = ((direct[0] + direct[4]) + (direct[1] + direct[5])) + ((direct[2] + direct[6]) + (direct[3] + direct[7]));
    *slope = ((squares[0] + squares[4]) + (squares[1] + squares[5])) +
             ((squares[2] + squares[6]) + (squares[3] + squares[7]));
    if (size == 0) return;

    const auto psi = [](double v, double z) {
        const double w = z * z;
        return -.5 * v - z * ((1. / 12 - z * (1. / 120)) + w * ((1. / 252 - z * (1. / 240)) + w * (1. / 132)));
    };
    const auto psi1 = [](double v, double z) {
        return (v + .5 * z) + v * z * ((1. / 6 - z * (1. / 30)) + (z * z) * (1. / 42));
    };
    const double from = a + (kDirectTerms + 1), first = 1 / from;
    const double psi_first = psi(first, first * first), psi1_first = psi1(first, first * first);
    double sum[4] = {0, 0, 0, 0}, sum1[4] = {0, 0, 0, 0};
    for (std::size_t i = 0; i < size; i += 4)
        for (int lane = 0; lane < 4; ++lane) {
            const double more = (n[i + lane] - (kDirectTerms + 1)) * first, ratio = 1 + more;
            const double v = 1 / (a + n[i + lane]), z = v * v;
            const double log1p = log_of(ratio) + (more - (ratio - 1)) * (from * v);
            sum[lane] += weight[i + lane] * (log1p + (psi(v, z) - psi_first));
            sum1[lane] += weight[i + lane] * (psi1_first - psi1(v, z));
        }
    *value += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    *slope += (sum1[0] + sum1[1]) + (sum1[2] + sum1[3]);
}

double log_sum(const double* x, const double* weight, std::size_t size) {
    return weighted(x, weight, size, [](double v) { return log_of(v); });
}

double digamma_sum(const double* x, const double* weight, std::size_t size) {
    return weighted(x, weight, size, [](double v) { return digamma_of(v); });
}

inline Four four_at(const double* p) {
    Four four;
    __builtin_memcpy(&four, p, sizeof four);
    return four;
}

// The operations of `deviance` (math/special.hpp), four at a time. Terms only become smaller, so that a number which has
// reached its sum keeps it while the others go on.
std::size_t deviances(const double* n, const double* row, const double* column, const double* total, std::size_t size,
                      double* mean, double* out, std::uint32_t* far) {
    std::size_t n_far = 0;
    for (std::size_t i = 0; i < size; i += 4) {
        const Four count = four_at(n + i), e = four_at(row + i) * four_at(column + i) / four_at(total + i);
        const Four difference = count - e, both = count + e, none = count - count;
        const auto near = larger(difference, -difference) <= kNear * both;
        const Four v = near ? difference / both : none, squared = v * v;
        Four sum = difference * v, power = 2 * count * v;
        const auto add_term = [&](double j) {
            power *= squared;
            sum += power / j;
        };
        for (double j = 3;; j += 6) {  // looking whether all have their sum costs as much as a term
            add_term(j), add_term(j + 2);
            const Four before = sum;
            add_term(j + 4);
            const auto same = sum == before;
            if (same[0] & same[1] & same[2] & same[3]) break;
        }
        __builtin_memcpy(mean + i, &e, sizeof e);
        __builtin_memcpy(out + i, &sum, sizeof sum);
        for (int lane = 0; lane < 4; ++lane) {
            far[n_far] = static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(lane);
            n_far += !near[lane];
        }
    }
    return n_far;
}

}  // namespace

extern const HotSums PAUCAL_JOIN(sums_, PAUCAL_ISA);
const HotSums PAUCAL_JOIN(sums_, PAUCAL_ISA) = {log_sum, digamma_sum, harmonic, deviances};

}  // namespace paucal
