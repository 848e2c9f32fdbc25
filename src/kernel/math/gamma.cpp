// The gamma function, its logarithm and the derivatives of that.
#include <cmath>
#include <limits>

#include "math/special.hpp"

namespace paucal {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();
constexpr double kStirlingFrom = 9, kDigammaFrom = 9;  // from here on the series below are exact to the last digits

// ln Gamma(2 + z) for |z| up to 1/2: z (1 - Euler's constant) and the sum of (zeta(k) - 1) (-z)^k / k.
double log_gamma_2p(double z) {
    constexpr double even[] = {  // of z^2, z^4, ...
        .32246703342411321824,   .020580808427784547879,  .0028905103307415232858, 5.0966952474304242234e-4,
        9.9457512781808533715e-5, 2.0507212775670691553e-5, 4.3748667899074878042e-6, 9.5514121304074198329e-7,
        2.1207184805554665869e-7, 4.7698101693639805658e-8, 1.0838659214896954091e-8, 2.4836745438024783172e-9,
        5.7313672416788620133e-10};
    constexpr double odd[] = {  // of z, z^3, ...
        .42278433509846713939,    -.067352301053198095133,   -.0073855510286739852663, -.0011927539117032609771,
        -2.2315475845357937976e-4, -4.49262367381331417e-5,   -9.439488275268395904e-6, -2.0392157538013662368e-6,
        -4.4924691987645660433e-7, -1.0043224823968099609e-7, -2.271109460894316491e-8, -5.1834750419700466551e-9,
        -1.1921401405860912074e-9};
    const double w = z * z;
    double evens = 0, odds = 0;  // two sums that do not wait for each other
    for (int k = 12; k >= 0; --k) evens = evens * w + even[k], odds = odds * w + odd[k];
    return z * odds + w * evens;
}

}  // namespace

double log_gamma_1p(double x) {
    return x < .5 ? log_gamma_2p(x) - std::log1p(x) : log_gamma(x + 1);
}

double log_gamma(double x) {
    if (x >= kStirlingFrom) return x < kInfinity ? (x - .5) * std::log(x) - x + kHalfLogTwoPi + stirling_error(x) : x;
    if (!(x > 0)) return x == 0 ? kInfinity : kNaN;
    if (x < .5) return log_gamma_1p(x) - std::log(x);
    if (x < 1.5) return log_gamma_2p(x - 1) - std::log1p(x - 1);
    double product = 1;
    while (x > 2.5) product *= --x;
    return log_gamma_2p(x - 2) + std::log(product);
}

// What Stirling's formula leaves (Loader 2000): it is small, so nothing cancels where it is used.
double stirling_error(double x) {
    if (x < kStirlingFrom) return log_gamma(x) - (x - .5) * std::log(x) + x - kHalfLogTwoPi;
    const double y = 1 / (x * x);
    if (x >= 64) return (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680)))) / x;
    return (1. / 12 - y * (1. / 360 - y * (1. / 1260 - y * (1. / 1680 - y * (1. / 1188 - y * (691. / 360360 -
            y * (1. / 156 - y * (3617. / 122400)))))))) / x;
}

double digamma(double x) {
    if (!(x > 0)) return x == 0 ? -kInfinity : kNaN;
    double below = 0;
    for (; x < kDigammaFrom; ++x) below += 1 / x;
    if (x == kInfinity) return x;
    const double y = 1 / x, z = y * y;
    const double tail = -y / 2 - z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 -
                        z * (691. / 32760 - z * (1. / 12 - z * (3617. / 8160))))))));
    return std::log(x) + tail - below;
}

double trigamma(double x) {
    if (!(x > 0)) return x == 0 ? kInfinity : kNaN;
    double below = 0;
    for (; x < kDigammaFrom; ++x) below += 1 / (x * x);
    const double y = 1 / x, z = y * y;
    return below + y + z / 2 + y * z * (1. / 6 - z * (1. / 30 - z * (1. / 42 - z * (1. / 30 - z * (5. / 66 -
           z * (691. / 2730 - z * (7. / 6 - z * (3617. / 510))))))));
}

double polygamma(int n, double x) {
    if (n <= 1) return n == 0 ? digamma(x) : trigamma(x);
    const double sign = n % 2 ? 1 : -1;
    if (!(x > 0)) return x == 0 ? sign * kInfinity : kNaN;
    double below = 0;  // of 1 / (x + j)^(n + 1)
    for (; x < 15 + n; ++x) below += std::pow(x, -(n + 1));
    // Euler and Maclaurin: the sum of the others times x^n, over n!
    constexpr double bernoulli[] = {1. / 6, -1. / 30, 1. / 42, -1. / 30, 5. / 66, -691. / 2730, 7. / 6, -3617. / 510};
    const double y = 1 / x, z = y * y;
    double series = 1. / n + y / 2, term = 1;
    for (int k = 1; k <= 8; ++k) {
        term *= (k == 1 ? (n + 1.) / 2 : (n + 2. * k - 2) * (n + 2. * k - 1) / ((2. * k - 1) * (2. * k))) * z;
        series += bernoulli[k - 1] * term;
    }
    double factorial = 1;
    for (int k = 2; k <= n; ++k) factorial *= k;
    return sign * factorial * (below + std::pow(x, -n) * series);
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
        if (product > 1e-300) return std::log(product);
    }
    if (a < kStirlingFrom) return log_gamma(a + n) - log_gamma(a);
    const double x = n / a;
    const double log1p = std::log1p(x), below = x > .5 ? log1p - x : log1p_tail(x) - x * x / 2;
    const double beyond = a * below + (n - .5) * log1p;
    return n * std::log(a) + beyond + stirling_error(a + n) - stirling_error(a);
}

}  // namespace paucal
