#include "tests/statistic.hpp"

#include "errors.hpp"

// The statistics there are, a line for each: its name and the function that makes it of its options.
#define PAUCAL_STATISTICS(ONE)                     \
    ONE("g", g_statistic)                          \
    ONE("chi2", chi2_statistic)                    \
    ONE("chi2-perm", chi2_perm_statistic)          \
    ONE("chi2-pooled", chi2_pooled_statistic)      \
    ONE("trend", trend_statistic)                  \
    ONE("chi2-trend", chi2_trend_statistic)        \
    ONE("auto", auto_statistic)                    \
    ONE("permutation", permutation_statistic)      \
    ONE("bf", bayes_factor)                        \
    ONE("bf-chi2", bayes_factor_chi2)              \
    ONE("mi", plug_in_information)                 \
    ONE("mi-eb", empirical_bayes_information)      \
    ONE("mi-fixed", fixed_prior_information)       \
    ONE("mi-full", full_bayes_information)         \
    ONE("mi-adaptive", adaptive_information)       \
    ONE("mi-sh", shrinkage_information)            \
    ONE("sci", stochastic_complexity)

namespace paucal {

#define PAUCAL_DECLARED(name, make) SharedStatistic make(Options& options);
PAUCAL_STATISTICS(PAUCAL_DECLARED)

namespace {

struct Factory {
    const char* name;
    SharedStatistic (*make)(Options&);
};

#define PAUCAL_LISTED(name, make) {name, &make},
constexpr Factory kFactories[] = {PAUCAL_STATISTICS(PAUCAL_LISTED)};

}  // namespace

SharedStatistic make_statistic(const std::string& name, Options::Named values) {
    std::string known;
    for (const auto& [one, make] : kFactories) {
        if (name == one) {
            Options options(name, std::move(values));
            SharedStatistic made = make(options);
            options.finish();
            return made;
        }
        known += say(known.empty() ? "" : ", ", one);
    }
    refuse("there is no statistic '", name, "'; there are ", known);
}

}  // namespace paucal
