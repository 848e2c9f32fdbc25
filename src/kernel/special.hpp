// Special functions to full relative accuracy.
#pragma once

namespace paucal {

double deviance(double n, double mean);          // n ln(n / mean) + mean - n, without cancellation near n = mean
double gamma_q(double shape, double x);          // upper regularised incomplete gamma function
double chi2_sf(double statistic, double dof);    // P(chi-square with dof degrees of freedom > statistic)

}  // namespace paucal
