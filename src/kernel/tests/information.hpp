// What all estimates of mutual information share: the walk over the strata.
#pragma once
#include "tests/options.hpp"

namespace paucal {

class Information : public Statistic {
public:
    explicit Information(Kind kind = {}) : Statistic(kind) {}

protected:
    // The mean of an estimate over the strata, each with the weight of its samples; in nats.
    template <class F> static Reading each(Counts& counts, F&& in_stratum) {
        Reading reading;
        double sum = 0;
        counts.each_slice([&](const Slice& slice) {
            sum += slice.total * in_stratum(slice);
            ++reading.strata, reading.informative += slice.n_rows > 1 && slice.n_columns > 1;
        });
        reading.statistic = sum / counts.total;
        return reading;
    }
    static Reading strata_of(Counts& counts) {
        return each(counts, [](const Slice&) { return 0.; });
    }
};

}  // namespace paucal
