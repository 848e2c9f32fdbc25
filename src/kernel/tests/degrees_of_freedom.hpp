// Degrees of freedom: of all configurations, of all observed strata, or of the rows and columns that each stratum has.
#pragma once
#include <cstdint>

#include "tests/options.hpp"

namespace paucal {

enum class DofRule : std::uint8_t { full, nonempty, adjusted };

inline DofRule dof_rule(Options& options) {
    return options.choice<DofRule>(
        "df", {{"full", DofRule::full}, {"nonempty", DofRule::nonempty}, {"adjusted", DofRule::adjusted}});
}

inline double degrees_of_freedom(DofRule rule, const Counts& counts, std::uint32_t strata, double adjusted) {
    const double per_stratum = (counts.kx - 1.) * (counts.ky - 1.);
    return rule == DofRule::full       ? per_stratum * counts.configurations
           : rule == DofRule::nonempty ? per_stratum * strata
                                       : adjusted;
}

}  // namespace paucal
