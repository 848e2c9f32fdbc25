// Special functions to full relative accuracy, and the numbers that several formulas need.
#pragma once
#include <cstddef>

namespace paucal {

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kE = 2.71828182845904523536;
inline constexpr double kHalfLogTwoPi = .91893853320467274178;

// Sums in another order differ by less; what is nearer counts as equal.
inline constexpr double kTie = 1e-9;
// Whether a p-value or chance reaches a level: what rounding alone keeps above it does.
inline constexpr bool reaches(double p, double level) { return p <= level * (1 + kTie); }

inline constexpr std::size_t kTableRows = 8192;  // up to so many samples, functions of counts are looked up

// -- gamma.cpp; for arguments from 0 on, NaN below --

double log_gamma(double x);
double log_gamma_1p(double x);                   // ln Gamma(1 + x), also where x is tiny
double stirling_error(double x);                 // ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2
double digamma(double x);
double trigamma(double x);
double polygamma(int n, double x);               // the n-th derivative of digamma
double log_rising(double a, double n);           // ln Gamma(a + n) / Gamma(a), also where a is much larger than n
double log1p_tail(double x);                     // ln(1 + x) - x + x^2 / 2, without cancellation near 0

inline double log_factorial(double n) { return log_gamma(n + 1); }

// -- error_function.cpp --

double erfc(double x);                           // 2 / sqrt(pi) times the integral of exp(-t^2) from x on

// -- incomplete_gamma.cpp --

double deviance(double n, double mean);          // n ln(n / mean) + mean - n, without cancellation near n = mean
double gamma_p(double shape, double x);          // lower regularised incomplete gamma function
double gamma_q(double shape, double x);          // upper
double chi2_sf(double statistic, double dof);    // P(chi-square with dof degrees of freedom > statistic)
double chi2_isf(double p, double dof);           // the statistic for which that is p

// -- regret.cpp --

double log_multinomial_regret(std::size_t rows, double cells);  // ln C(N, K) of normalised maximum likelihood

}  // namespace paucal
