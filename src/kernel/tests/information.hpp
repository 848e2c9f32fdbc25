// What all tests of mutual information share: the walk over the strata and the comparison with a threshold.
#pragma once
#include <utility>

#include "tests/statistic.hpp"
#include "ask/threshold.hpp"

namespace paucal {

class Information : public Statistic {
public:
    explicit Information(Threshold threshold) : threshold_(std::move(threshold)) {}
    void evaluate(Counts& counts, Outcome& out) const override;
    void neutral(Outcome& out) const override;

protected:
    struct Reading {
        double information = 0;  // nats
        std::uint32_t strata = 0;
        bool informative = false;  // some stratum has two levels of both columns
    };

    virtual void estimate(Counts& counts, Reading& reading, Threshold::Sum& threshold) const = 0;

    // The mean of an estimate over the strata, each with the weight of its samples.
    template <class F> static void each(Counts& counts, Reading& reading, Threshold::Sum& threshold, F&& in_stratum) {
        double sum = 0;
        counts.each_slice([&](const Slice& slice) {
            sum += slice.total * in_stratum(slice);
            threshold.add(slice.total);
            reading.informative = reading.informative || (slice.n_rows > 1 && slice.n_columns > 1);
            ++reading.strata;
        });
        reading.information = sum / counts.total;
    }

private:
    Threshold threshold_;
};

}  // namespace paucal
