// A statistic sees counts and nothing else; it says a number, and how the number is to be read.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "data/counting.hpp"
#include "math/polya_line.hpp"
#include "ask/threshold.hpp"

namespace paucal {

enum class Decision : std::uint8_t { independent = 0, dependent = 1, undecidable = 2 };

// What a test should warn about; several may hold.
enum Flag : std::uint8_t {
    kThin = 1,           // fewer samples per cell (or degree of freedom) than the limit
    kNoInformation = 2,  // no stratum could have shown a dependence
    kEmptyStrata = 4,    // some configurations of the conditioners were never observed
    kConstant = 8,       // x or y has one observed level
    kPowerless = 16,     // no table with these margins could have reached the level
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
    std::uint8_t order = 0;  // conditioners of the question; known before the statistic is asked
};

// Many outcomes, one array per number; to be filled by `put`.
struct Outcomes {
    explicit Outcomes(std::size_t n)
        : size(n), statistic(room<double>()), dof(room<double>()), p_value(room<double>()), threshold(room<double>()),
          nearness(room<double>()), strata(room<std::uint32_t>()), decision(room<std::uint8_t>()),
          flags(room<std::uint8_t>()) {}

    void put(std::size_t i, const Outcome& o) {
        statistic[i] = o.statistic, dof[i] = o.dof, p_value[i] = o.p_value, threshold[i] = o.threshold;
        nearness[i] = o.nearness, strata[i] = o.strata, decision[i] = static_cast<std::uint8_t>(o.decision);
        flags[i] = o.flags;
    }

    std::size_t size;
    std::unique_ptr<double[]> statistic, dof, p_value, threshold, nearness;
    std::unique_ptr<std::uint32_t[]> strata;
    std::unique_ptr<std::uint8_t[]> decision, flags;

private:
    template <class T> std::unique_ptr<T[]> room() const { return std::make_unique_for_overwrite<T[]>(size); }
};

// The level of a test, by the number of conditioners; the last one serves all larger numbers too.
class Levels {
public:
    Levels(double alpha) : alpha_{alpha} {}
    explicit Levels(std::vector<double> alpha) : alpha_(std::move(alpha)) {}

    double at(int order) const {
        return alpha_[std::min(static_cast<std::size_t>(order), alpha_.size() - 1)];
    }

private:
    std::vector<double> alpha_;  // never empty
};

class Statistic {
public:
    virtual ~Statistic() = default;
    // Fills statistic, dof, p_value, threshold, nearness, strata (observed) and decision.
    virtual void evaluate(Counts& counts, Outcome& outcome) const = 0;
    // What is answered for a constant column: independent, with the neutral value of each number.
    virtual void neutral(Outcome& outcome) const = 0;
    // A number that grows with the dependence in tables of equal margins; what permutations are compared by.
    virtual double dependence(Counts& counts) const {
        Outcome out;
        evaluate(counts, out);
        return std::isnan(out.p_value) ? -out.nearness : out.statistic;
    }
    // A p-value that no table with these margins goes below; 0 if nothing is known.
    virtual double smallest_p(Counts&) const { return 0; }
};

enum class DofRule : std::uint8_t { full, nonempty, adjusted };

std::unique_ptr<Statistic> g_statistic(Levels alpha, DofRule rule, std::size_t rows);
std::unique_ptr<Statistic> chi2_statistic(Levels alpha, DofRule rule);

// `guard`: the p-value is at least the chance of the table at hand. `act`: powerless questions are left undecided.
std::unique_ptr<Statistic> chi2_perm_statistic(Levels alpha, bool guard, bool act);

// The share of permutations within the strata for which another statistic shows at least as much dependence.
struct PermutationPlan {
    std::uint32_t permutations;  // at most
    std::uint32_t exceedances;   // after so many permutations at least as dependent as the data, no more are tried
    std::uint64_t seed;
    bool act;                    // powerless questions are left undecided
};
std::unique_ptr<Statistic> permutation_statistic(std::shared_ptr<const Statistic> inner, Levels alpha,
                                                 PermutationPlan plan);

// Logarithm of a chance that no table with these margins goes below when labels are permuted.
double log_rarest_table(const Slice& slice);

// prior: of every cell and of every margin; stripped: without the rows and columns that a stratum does not have;
// strict: a tie with the threshold is dependence.
std::unique_ptr<Statistic> bayes_factor(double prior, double log_eta, bool stripped, bool strict, std::size_t rows);

// reduced: strata without their empty rows and columns.
std::unique_ptr<Statistic> bayes_factor_chi2(Levels alpha, double prior, ZeroRule zero, bool reduced, DofRule rule,
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
