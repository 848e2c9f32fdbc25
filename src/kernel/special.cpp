#include "special.hpp"

#include <cmath>
#include <limits>

namespace paucal {
namespace {

constexpr double kPi = 3.14159265358979323846;

// ln Gamma(a+1) minus Stirling's main part (Loader 2000): what is left is small, so nothing cancels.
double stirling_error(double a) {
    if (a < 15) return std::lgamma(a + 1) - (a + .5) * std::log(a) + a - .5 * std::log(2 * kPi);
    const double b = 1 / (a * a);
    return (1. / 12 - b * (1. / 360 - b * (1. / 1260 - b * (1. / 1680 - b * (1. / 1188 - b * (691. / 360360)))))) / a;
}

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

}  // namespace paucal
