// A statistic sees counts and nothing else; it says a number, and how the number is to be read.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>

#include "counting.hpp"
#include "polya_line.hpp"
#include "threshold.hpp"

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

// prior: of every cell and of every margin; stripped: without the rows and columns that a stratum does not have;
// strict: a tie with the threshold is dependence.
std::unique_ptr<Statistic> bayes_factor(double prior, double log_eta, bool stripped, bool strict, std::size_t rows);

// reduced: strata without their empty rows and columns.
std::unique_ptr<Statistic> bayes_factor_chi2(double alpha, double prior, ZeroRule zero, bool reduced, DofRule rule,
                                             std::size_t rows);

// How an estimate of information becomes conditional: strata on their own, weighted by their samples; one prior over
// the cells of all strata; one prior shared by strata that are otherwise on their own.
enum class Conditional : std::uint8_t { stratum, joint, pooled };

std::unique_ptr<Statistic> plug_in_information(Threshold threshold, std::size_t rows);
std::unique_ptr<Statistic> empirical_bayes_information(Threshold threshold, Conditional conditional);
std::unique_ptr<Statistic> fixed_prior_information(Threshold threshold, Conditional conditional, double prior,
                                                   bool shared);
std::unique_ptr<Statistic> full_bayes_information(Threshold threshold, Conditional conditional);
std::unique_ptr<Statistic> adaptive_information(Threshold threshold, bool by_frequency, double split);

}  // namespace paucal
