#include "special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace paucal {

constexpr double kPi = 3.14159265358979323846;
constexpr double kHalfLogTwoPi = .91893853320467274178;
constexpr double kStirlingFrom = 15, kDigammaFrom = 9;  // from here on the series below are exact to the last digits

// What Stirling's formula leaves (Loader 2000): it is small, so nothing cancels where it is used.
double stirling_error(double x) {
    if (x < kStirlingFrom) return std::lgamma(x) - (x - .5) * std::log(x) + x - kHalfLogTwoPi;
    const double y = 1 / (x * x);
    return (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680 - y * (1. / 1188 - y * (691. / 360360)))))) / x;
}

namespace {

// x^a e^-x / Gamma(a+1)
double poisson_density(double a, double x) {
    if (a < 1) return std::exp(a * std::log(x) - x - std::lgamma(a + 1));
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
    const double log_gamma_1p =  // the first terms of Taylor's series where lgamma would lose digits
        a < 1e-3 ? -a * (.57721566490153286 -
                         a * (.82246703342411322 -
                              a * (.40068563438653143 - a * (.27058080842778454 - a * .20738555102867398))))
                 : std::lgamma(1 + a);
    const double log_first = a * std::log(x) - log_gamma_1p;
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
    return .5 * std::erfc(std::sqrt(y)) + (x < a ? -correction : correction);
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
    sum = std::erfc(std::sqrt(h));
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
    if (!(std::fabs(difference) <= .1 * (n + mean))) return n * std::log(n / mean) - difference;
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
    if (x <= 0 || a <= 0) return x > 0 && a <= 0 ? 0 : 1;
    if (near_shape(a, x)) return x >= a ? uniform_tail(a, x) : 1 - uniform_tail(a, x);
    if (a < .2 && x < 1.5) return upper_of_small_shape(a, x);
    return x < a + 1 ? std::fdim(1, lower_series(a, x)) : upper_fraction(a, x);
}

double gamma_p(double a, double x) {
    if (x <= 0 || a <= 0) return x > 0 && a <= 0 ? 1 : 0;
    if (near_shape(a, x)) return x < a ? uniform_tail(a, x) : 1 - uniform_tail(a, x);
    return x < a + 1 ? std::fmin(1, lower_series(a, x)) : 1 - upper_fraction(a, x);
}

double chi2_sf(double statistic, double dof) {
    if (!(dof > 0) || !(statistic > 0)) return 1;
    const double h = statistic / 2;
    if (dof <= 200 && h < 650)
        if (const int whole = static_cast<int>(dof); dof == whole) return std::min(1., finite_sum(h, whole));
    return gamma_q(dof / 2, h);
}

double log_gamma(double x) {
    double product = 1;
    for (; x < kStirlingFrom; ++x) product *= x;
    return (x - .5) * std::log(x) - x + kHalfLogTwoPi + stirling_error(x) - std::log(product);
}

double digamma_tail(double y) {
    const double z = y * y;
    return -y / 2 - z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * (691. / 32760 -
           z * (1. / 12 - z * (3617. / 8160))))))));
}

double digamma(double x) {
    double below = 0;
    for (; x < kDigammaFrom; ++x) below += 1 / x;
    return std::log(x) + digamma_tail(1 / x) - below;
}

double trigamma(double x) {
    double below = 0;
    for (; x < kDigammaFrom; ++x) below += 1 / (x * x);
    const double y = 1 / x, z = y * y;
    return below + y + z / 2 + y * z * (1. / 6 - z * (1. / 30 - z * (1. / 42 - z * (1. / 30 - z * (5. / 66 -
           z * (691. / 2730 - z * (7. / 6 - z * (3617. / 510))))))));
}

double log1p_tail(double x) {
    if (x > .5) return std::log1p(x) - x + x * x / 2;
    const double s = x / (2 + x), z = s * s;  // ln(1 + x) = 2 artanh s
    double series = 0;
    for (int k = 23; k >= 3; k -= 2) series = z * series + 1. / k;
    return x * x * s / 2 + 2 * s * z * series;
}

double log_rising(double a, double n) {
    if (n <= 0) return 0;
    if (n <= 12 && a < 1e20) {
        double product = a;
        for (double k = 1; k < n; ++k) product *= a + k;
        return std::log(product);
    }
    if (a < kStirlingFrom) return log_gamma(a + n) - log_gamma(a);
    const double x = n / a;
    const double log1p = std::log1p(x), below = x > .5 ? log1p - x : log1p_tail(x) - x * x / 2;
    const double beyond = a * below + (n - .5) * log1p;
    return n * std::log(a) + beyond + stirling_error(a + n) - stirling_error(a);
}

}  // namespace paucal
