// A statistic sees counts and nothing else; it says a number, and how the number is to be read.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>

#include "counting.hpp"

namespace paucal {

enum class Decision : std::uint8_t { independent = 0, dependent = 1, undecidable = 2 };

// What a test should warn about; several may hold.
enum Flag : std::uint8_t {
    kThin = 1,           // fewer samples per cell (or degree of freedom) than the limit
    kNoInformation = 2,  // no stratum could have shown a dependence
    kEmptyStrata = 4,    // some configurations of the conditioners were never observed
    kConstant = 8,       // x or y has one observed level
};

struct Outcome {
    double statistic = 0;
    double dof = std::numeric_limits<double>::quiet_NaN();        // NaN: the statistic has none
    double p_value = std::numeric_limits<double>::quiet_NaN();    // NaN: the statistic has none
    double threshold = std::numeric_limits<double>::quiet_NaN();  // what p_value or statistic was compared with
    double nearness = 0;  // larger is nearer to independence; comparable between answers of one test
    std::uint32_t strata = 0;
    Decision decision = Decision::independent;
    std::uint8_t flags = 0;
};

class Statistic {
public:
    virtual ~Statistic() = default;
    // Fills statistic, dof, p_value, threshold, nearness, strata (observed) and decision.
    virtual void evaluate(Counts& counts, Outcome& outcome) const = 0;
    // What is answered for a constant column: independent, with the neutral value of each number.
    virtual void neutral(Outcome& outcome) const = 0;
};

enum class DofRule : std::uint8_t { full, nonempty, adjusted };

std::unique_ptr<Statistic> g_statistic(double alpha, DofRule rule, std::size_t rows);
std::unique_ptr<Statistic> chi2_statistic(double alpha, DofRule rule);

}  // namespace paucal
