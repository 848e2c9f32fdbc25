#include "special.hpp"

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
    if (std::fabs(difference) > .1 * (n + mean)) return n * std::log(n / mean) - difference;
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
    constexpr double tiny = std::numeric_limits<double>::min();
    constexpr double epsilon = 1e-16;
    if (x < a + 1) {
        double sum = 1, term = 1;
        for (double k = a + 1; term > epsilon * sum; ++k) sum += term *= x / k;
        const double lower = poisson_density(a, x) * sum;
        return lower < 1 ? 1 - lower : 0;
    }
    // Continued fraction, evaluated forwards (Lentz).
    double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
    for (double i = 1; i < 1e7; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = an * d + b;
        if (std::fabs(d) < tiny) d = tiny;
        c = b + an / c;
        if (std::fabs(c) < tiny) c = tiny;
        d = 1 / d;
        const double step = d * c;
        h *= step;
        if (std::fabs(step - 1) < 3e-16) break;
    }
    return poisson_density(a, x) * a * h;
}

double chi2_sf(double statistic, double dof) {
    if (!(dof > 0) || !(statistic > 0)) return 1;
    const double h = statistic / 2;
    if (dof <= 200 && h < 650 && dof == std::floor(dof)) return finite_sum(h, static_cast<int>(dof));
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
