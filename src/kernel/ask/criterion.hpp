// What a reading is compared with, and how: the level of a p-value, the least evidence of a Bayes factor, or the
// information that counts as dependence.
#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
#include <variant>
#include <vector>

#include "ask/threshold.hpp"
#include "errors.hpp"
#include "tests/reading.hpp"

namespace paucal {

struct Verdict {
    bool independent;
    double threshold, nearness;
};

// By the number of conditioners; the last one serves all larger numbers too. A p-value up to it means dependence.
class Level {
public:
    Level(double alpha) : Level(std::vector<double>{alpha}) {}
    explicit Level(std::vector<double> alpha) : alpha_(std::move(alpha)) {
        if (alpha_.empty()) refuse("a level is needed");
        for (const double level : alpha_)
            if (!(level > 0 && level < 1)) refuse("a level is ", level, "; it must lie between 0 and 1");
    }

    double at(int order) const { return alpha_[std::min(static_cast<std::size_t>(order), alpha_.size() - 1)]; }
    Verdict operator()(const Reading& reading, const Counts*, int order) const {
        const double level = at(order);
        return {!reaches(reading.p_value, level), level, reading.p_value};
    }

private:
    std::vector<double> alpha_;
};

// The statistic speaks for independence, as a log Bayes factor does: this much of it means independence. `strict`: a tie
// is dependence.
class Evidence {
public:
    explicit Evidence(double least, bool strict = false) : least_(least), strict_(strict) {
        check_finite("the least evidence", least);
    }
    Verdict operator()(const Reading& reading, const Counts*, int) const {
        const double value = reading.statistic;
        return {strict_ ? value > least_ + kTie : value >= least_ - kTie, least_, value};
    }

private:
    double least_;
    bool strict_;
};

using Criterion = std::variant<Level, Evidence, Threshold>;

}  // namespace paucal
