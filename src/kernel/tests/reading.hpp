// What a statistic says of counts. It sees counts and nothing else and knows no level: ask/tester.cpp alone decides.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>

#include "data/counting.hpp"
#include "math/special.hpp"

namespace paucal {

struct Cumulants {
    double mean = 0, variance = 0, third = 0;

    void add(const Cumulants& other) {
        mean += other.mean, variance += other.variance, third += other.third;
    }
};

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

struct Reading {
    double statistic = 0;
    double dof = kNone, p_value = kNone;       // kNone: the statistic has none
    std::uint32_t strata = 0, informative = 0;  // with samples; of these, able to show a dependence
    int direction = 0;                          // 1: x and y rise together, -1: one falls as the other rises; 0: not known

    // How far tables with these margins reach, as far as it is known already: their cumulants when labels are permuted,
    // and a statistic that some of them have at least.
    Cumulants permuted;
    double within_reach = 0;
};

// The numbers that a statistic has besides itself; `reach`: it can tell which p-values given margins allow; `slow`: it
// draws or integrates, which takes far longer than counting.
struct Kind {
    bool dof = false, p_value = false, reach = false, slow = false;
};

class Statistic {
public:
    explicit Statistic(Kind kind) : kind_(kind) {}
    virtual ~Statistic() = default;

    virtual Reading read(Counts& counts) const = 0;

    // A number that grows with the dependence in tables of equal margins; what permutations are compared by.
    virtual double dependence(Counts& counts) const { return read(counts).statistic; }

    // A p-value that no table with these margins goes below; 0 if nothing is known.
    virtual double smallest_p(Counts&) const { return 0; }

    // Whether some table with these margins has a p-value up to the level; in doubt yes.
    virtual bool can_reach(Counts& counts, const Reading&, double level) const {
        return reaches(smallest_p(counts), level);
    }

    const Kind& kind() const { return kind_; }

    // Of a constant column: nothing was seen.
    Reading nothing() const {
        Reading reading;
        if (kind_.dof) reading.dof = 0;
        if (kind_.p_value) reading.p_value = 1;
        return reading;
    }

private:
    Kind kind_;
};

using SharedStatistic = std::shared_ptr<const Statistic>;

}  // namespace paucal
