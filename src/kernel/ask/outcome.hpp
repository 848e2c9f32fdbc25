// What is answered to a question: the numbers, the decision, and what to say about it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "tests/reading.hpp"

namespace paucal {

enum class Decision : std::uint8_t { independent = 0, dependent = 1, undecidable = 2 };

// What a test should warn about; several may hold.
enum Flag : std::uint8_t {
    kThin = 1,           // fewer samples per cell (or degree of freedom) than the limit
    kNoInformation = 2,  // no stratum could have shown a dependence
    kEmptyStrata = 4,    // some configurations of the conditioners were never observed
    kConstant = 8,       // x or y has one observed level
    kPowerless = 16,     // no table with these margins could have reached the level
    kRising = 32,        // no warning: x and y rise together
    kFalling = 64,       // no warning: one falls as the other rises
};

struct Outcome {
    double statistic = 0;
    double dof = kNone, p_value = kNone;  // kNone: the statistic has none
    double threshold = kNone;             // what p_value or statistic was compared with
    double nearness = 0;  // larger is nearer to independence; comparable between answers of one test
    std::uint32_t strata = 0;
    std::uint32_t samples = 0;  // rows behind the answer: those without a gap in the columns of the question
    Decision decision = Decision::independent;
    std::uint8_t flags = 0;
};

// Many outcomes, one array per number; to be filled by `put`. All arrays lie in one block: memory that comes and goes in
// one piece stays with the process, and its pages need not be made anew for every call.
struct Outcomes {
    explicit Outcomes(std::size_t n)
        : size(n), block(std::make_unique_for_overwrite<double[]>(6 * n + (2 * n + 7) / 8)), statistic(block.get()),
          dof(statistic + n), p_value(dof + n), threshold(p_value + n), nearness(threshold + n),
          strata(reinterpret_cast<std::uint32_t*>(nearness + n)), samples(strata + n),
          decision(reinterpret_cast<std::uint8_t*>(samples + n)), flags(decision + n) {}

    void put(std::size_t i, const Outcome& o) {
        statistic[i] = o.statistic, dof[i] = o.dof, p_value[i] = o.p_value, threshold[i] = o.threshold;
        nearness[i] = o.nearness, strata[i] = o.strata, decision[i] = static_cast<std::uint8_t>(o.decision);
        flags[i] = o.flags, samples[i] = o.samples;
    }

    std::size_t size;
    std::unique_ptr<double[]> block;
    double *statistic, *dof, *p_value, *threshold, *nearness;
    std::uint32_t *strata, *samples;
    std::uint8_t *decision, *flags;
};

// How many questions were asked; how many were new; how many of these were unreliable, undecidable, powerless.
struct Tally {
    std::uint64_t calls = 0, fresh = 0, unreliable = 0, undecidable = 0, powerless = 0;
    void add_fresh(const Outcome& out) {
        ++fresh;
        unreliable += (out.flags & (kThin | kNoInformation | kPowerless)) != 0;
        undecidable += out.decision == Decision::undecidable;
        powerless += (out.flags & (kNoInformation | kPowerless)) != 0;
    }
    void add(const Tally& other) {
        calls += other.calls, fresh += other.fresh, unreliable += other.unreliable;
        undecidable += other.undecidable, powerless += other.powerless;
    }
};

}  // namespace paucal
