// The incomplete gamma function and what is made of it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/hot_sums.hpp"
#include "math/special.hpp"

namespace paucal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

// x^a e^-x / Gamma(a+1)
double poisson_density(double a, double x) {
    if (a < 1) return std::exp(a * std::log(x) - x - log_gamma_1p(a));
    return std::exp(-stirling_error(a) - deviance(a, x)) / std::sqrt(2 * kPi * a);
}

// P(a, x) for x up to about a: all terms are positive.
double lower_series(double a, double x) {
    double sum = 1, term = 1;
    for (double k = a + 1; term > 1e-16 * sum; ++k) sum += term *= x / k;
    return poisson_density(a, x) * sum;
}

// Q(a, x) for x from a + 1 on, by Legendre's continued fraction 1/(b0 + a1/(b1 + ...)), forwards, numerators and
// denominators kept apart so that only every fourth step divides.
double upper_fraction(double a, double x) {
    double b = x + 1 - a, top0 = 0, top = 1, bottom0 = 1, bottom = b, value = 0;
    for (double i = 1; i < 1e7; ++i) {
        const double an = -i * (i - a);
        b += 2;
        const double next_top = b * top + an * top0, next_bottom = b * bottom + an * bottom0;
        top0 = top, top = next_top, bottom0 = bottom, bottom = next_bottom;
        if (static_cast<int>(i) & 3) continue;
        const double before = value;
        value = top / bottom;
        if (std::fabs(value - before) <= 2e-16 * value) break;
        if (std::fabs(bottom) > 1e100) top0 *= 1e-100, top *= 1e-100, bottom0 *= 1e-100, bottom *= 1e-100;
    }
    return poisson_density(a, x) * a * value;
}

// Q(a, x) for small a, where 1 - P would cancel: 1 - x^a / Gamma(1+a) and the rest of the series of P, alternating.
double upper_of_small_shape(double a, double x) {
    const double log_first = a * std::log(x) - log_gamma_1p(a);
    double rest = 0, power = -1;
    for (int k = 1; k < 60; ++k) {
        power *= -x / k;
        const double next = rest + power / (a + k);
        if (next == rest) break;
        rest = next;
    }
    return -std::expm1(log_first) + a * std::exp(log_first) * rest;
}

// Temme's expansion, uniform around x = a: with eta^2 / 2 = x/a - 1 - ln(x/a) the smaller tail is
// erfc(|eta| sqrt(a/2)) / 2 and a correction whose coefficients obey a backward recursion (Gil, Segura, Temme 2012).
constexpr int kTerms = 30;

struct TemmeCoefficients {
    double f[kTerms + 1];  // of eta / (x/a - 1) as a power series in eta

    TemmeCoefficients() {
        double alpha[kTerms + 3] = {0, 1};  // of x/a - 1, from (x/a - 1) d(x/a)/d eta = (x/a) eta
        for (int n = 2; n < kTerms + 3; ++n) {
            double sum = 0;
            for (int i = 2; i < n; ++i) sum += alpha[i] * alpha[n + 1 - i];
            alpha[n] = alpha[n - 1] / (n + 1) - sum / 2;
        }
        f[0] = 1;
        for (int n = 1; n <= kTerms; ++n) {
            f[n] = 0;
            for (int i = 1; i <= n; ++i) f[n] -= alpha[i + 1] * f[n - i];
        }
    }
};

bool near_shape(double a, double x) { return a >= 12 && x < 2.3 * a && x > .31 * a; }  // where |eta| < 1

// P if x < a, Q otherwise.
double uniform_tail(double a, double x) {
    static const TemmeCoefficients coefficients;
    const double y = deviance(a, x), eta = std::copysign(std::sqrt(2 * y / a), x - a);
    const double inverse = 1 / a;
    double even = 0, odd = 0;  // the coefficients two above the present one
    double sum = 0, first = 0;
    for (int n = kTerms; n > 0; --n) {
        const double b = (n + 1) * inverse * (n % 2 ? even : odd) + coefficients.f[n];  // of eta^(n-1)
        (n % 2 ? even : odd) = b;
        sum = sum * eta + b;
        if (n == 2) first = b;
    }
    const double correction = std::exp(-y) / std::sqrt(2 * kPi * a) * sum / (1 + first * inverse);
    return .5 * erfc(std::sqrt(y)) + (x < a ? -correction : correction);
}

// The finite sums for whole degrees of freedom: every term is positive.
double finite_sum(double h, int dof) {
    double sum, term;
    int k;
    if (dof % 2 == 0) {
        sum = term = std::exp(-h);
        for (k = 1; k < dof / 2; ++k) sum += term *= h / k;
        return sum;
    }
    sum = erfc(std::sqrt(h));
    if (dof == 1) return sum;
    term = 2 * std::sqrt(h / kPi) * std::exp(-h);
    sum += term;
    for (k = 2; k <= (dof - 1) / 2; ++k) sum += term *= h / (k - .5);
    return sum;
}

}  // namespace

double deviance(double n, double mean) {
    const double difference = n - mean;
    if (n <= 0) return mean;
    // what is no number goes this way too: the series would never end
    if (!(std::fabs(difference) <= kNear * (n + mean))) return n * std::log(n / mean) - difference;
    const double v = difference / (n + mean);
    double sum = difference * v, power = 2 * n * v;
    for (int j = 3;; j += 2) {
        power *= v * v;
        const double next = sum + power / j;
        if (next == sum) return sum;
        sum = next;
    }
}

double gamma_q(double a, double x) {
    if (std::isnan(a) || std::isnan(x)) return kNaN;
    if (x == kInfinity || a == kInfinity) return x == kInfinity ? 0 : 1;
    if (x <= 0 || a <= 0) return x > 0 && a <= 0 ? 0 : 1;
    if (near_shape(a, x)) return x >= a ? uniform_tail(a, x) : 1 - uniform_tail(a, x);
    if (a < .2 && x < 1.5) return upper_of_small_shape(a, x);
    return x < a + 1 ? std::fdim(1, lower_series(a, x)) : upper_fraction(a, x);
}

double gamma_p(double a, double x) {
    if (std::isnan(a) || std::isnan(x)) return kNaN;
    if (x == kInfinity || a == kInfinity) return x == kInfinity ? 1 : 0;
    if (x <= 0 || a <= 0) return x > 0 && a <= 0 ? 1 : 0;
    if (near_shape(a, x)) return x < a ? uniform_tail(a, x) : 1 - uniform_tail(a, x);
    return x < a + 1 ? std::fmin(1, lower_series(a, x)) : 1 - upper_fraction(a, x);
}

double chi2_sf(double statistic, double dof) {
    if (!(dof > 0) || !(statistic > 0)) return std::isnan(dof) || std::isnan(statistic) ? kNaN : 1;
    const double h = statistic / 2;
    if (dof <= 200 && h < 650)
        if (const int whole = static_cast<int>(dof); dof == whole) return std::min(1., finite_sum(h, whole));
    return gamma_q(dof / 2, h);
}

// Newton's steps in ln x for the logarithm of the smaller tail, inside a bracket.
double chi2_isf(double p, double dof) {
    if (std::isnan(p) || std::isnan(dof)) return kNaN;
    if (p <= 0) return kInfinity;
    if (p >= 1 || dof <= 0) return 0;
    const double a = dof / 2, log_target = std::log(p > .5 ? 1 - p : p);
    const bool upper = p <= .5;
    const auto tail = [&](double h) { return upper ? gamma_q(a, h) : gamma_p(a, h); };
    const auto above = [&](double h) { return (std::log(tail(h)) > log_target) == upper; };  // whether h is too small
    double low = std::max(a, 1.), high = low;
    while (above(high)) low = high, high *= 2;
    while (low > 0 && !above(low)) high = low, low /= 2;
    if (low == 0) return 0;
    double h = std::sqrt(low) * std::sqrt(high);
    for (int i = 0; i < 200 && high - low > 4e-16 * low; ++i) {
        const double t = tail(h), off = std::log(t) - log_target;
        ((off > 0) == upper ? low : high) = h;
        const double slope = (upper ? -a : a) * poisson_density(a, h) / t;  // d ln tail / d ln h
        double next = h * std::exp(-off / slope);
        if (!(next > low && next < high)) next = std::sqrt(low) * std::sqrt(high);
        const bool done = std::fabs(next - h) <= 2e-16 * h;
        h = next;
        if (done) break;
    }
    return 2 * h;
}

}  // namespace paucal
