// The statistics there are, each made by a function of its parameters. They refuse parameters that make no sense.
#pragma once
#include <cstdint>
#include <memory>

#include "math/polya_line.hpp"
#include "tests/reading.hpp"

namespace paucal {

using SharedStatistic = std::shared_ptr<const Statistic>;

// Degrees of freedom: of all configurations, of all observed strata, or of the rows and columns that each stratum has.
enum class DofRule : std::uint8_t { full, nonempty, adjusted };

inline double degrees_of_freedom(DofRule rule, const Counts& counts, std::uint32_t strata, double adjusted) {
    const double per_stratum = (counts.kx - 1.) * (counts.ky - 1.);
    return rule == DofRule::full       ? per_stratum * counts.configurations
           : rule == DofRule::nonempty ? per_stratum * strata
                                       : adjusted;
}

SharedStatistic g_statistic(DofRule df);
SharedStatistic chi2_statistic(DofRule df);

// `guard`: the p-value is at least the chance of the table at hand.
SharedStatistic chi2_perm_statistic(bool guard);

// The share of permutations within the strata for which another statistic shows at least as much dependence: of at most
// `permutations`, and of fewer once `exceedances` of them did.
SharedStatistic permutation_statistic(SharedStatistic of, std::uint32_t permutations, std::uint32_t exceedances,
                                      std::uint64_t seed);

// prior: of every cell and of every margin; stripped: without the rows and columns that a stratum does not have.
SharedStatistic bayes_factor(double prior, bool stripped);
// reduced: strata without their empty rows and columns.
SharedStatistic bayes_factor_chi2(double prior, ZeroRule zero, bool reduced, DofRule df);

// How an estimate of information becomes conditional: strata on their own, weighted by their samples; one prior over
// the cells of all strata; one prior shared by strata that are otherwise on their own.
enum class Conditional : std::uint8_t { stratum, joint, pooled };

SharedStatistic plug_in_information();
SharedStatistic empirical_bayes_information(Conditional conditional);
SharedStatistic fixed_prior_information(Conditional conditional, double prior, bool shared);
SharedStatistic full_bayes_information(Conditional conditional);
SharedStatistic adaptive_information(bool by_frequency, double split);
SharedStatistic shrinkage_information(DofRule df);

// What independence saves in the stochastic complexity of the data.
SharedStatistic stochastic_complexity();

}  // namespace paucal
