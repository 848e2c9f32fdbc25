// Special functions to full relative accuracy.
#pragma once

namespace paucal {

double deviance(double n, double mean);          // n ln(n / mean) + mean - n, without cancellation near n = mean
double gamma_p(double shape, double x);          // lower regularised incomplete gamma function
double gamma_q(double shape, double x);          // upper
double chi2_sf(double statistic, double dof);    // P(chi-square with dof degrees of freedom > statistic)

// For positive arguments only.
double stirling_error(double x);                 // ln Gamma(x) - (x - 1/2) ln x + x - ln(2 pi) / 2
double log_gamma(double x);
double digamma(double x);
double trigamma(double x);
double log_rising(double a, double n);           // ln Gamma(a + n) / Gamma(a), also where a is much larger than n
double log1p_tail(double x);                     // ln(1 + x) - x + x^2 / 2, without cancellation near 0
double digamma_tail(double y);                   // digamma(1 / y) + ln y, for y up to 1/9

}  // namespace paucal
