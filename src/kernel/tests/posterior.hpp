// Posterior means under symmetric Dirichlet priors: of the mutual information, and over the prior itself.
#pragma once
#include <functional>

#include "data/counting.hpp"
#include "math/dirichlet.hpp"

namespace paucal {

// The mean of a function of alpha over its posterior, with the prior of Nemenman, Shafee and Bialek on alpha, which makes
// the prior mean of the joint entropy uniform.
double average_over_alpha(const Occupancy& counts, const std::function<double(double)>& of_alpha);

// Posterior means of the mutual information, every cell with `alpha` in advance (Hutter 2002):
// of one stratum with kx * ky cells,
double posterior_information(const Slice& slice, double kx, double ky, double alpha);
// and of x and y given the conditioners, with one prior over the cells of all strata, observed or not.
double posterior_information(Counts& counts, double alpha);

double finite_configurations(const Counts& counts);  // however many there are, their product with a table stays finite

}  // namespace paucal
