// How much information counts as dependence: a number, or a function of how thin the data are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/counting.hpp"
#include "tests/reading.hpp"

namespace paucal {

struct Verdict;

// Null distributions of one estimate in one stratum, simulated. For every pair of numbers of levels and every number of
// samples per cell: mean and standard deviation in units of those that the plug-in estimate has in large samples, and
// how many standard deviations above the mean the wanted quantile lies.
struct Calibration {
    std::vector<double> log_levels;    // ascending; tables run over pairs of them, then over the ratios
    double first_ratio = 0, step = 1;  // log2 of samples per cell: first node and distance of the nodes
    std::size_t ratios = 0;
    std::vector<double> mean, deviation;
    std::vector<double> quantile, normal;  // per level of the test; `normal` is that of a normal distribution
};

class Threshold {
public:
    static Threshold fixed(double value);
    static Threshold spec();  // .75 / (r + 1.2), r samples per configuration of all variables
    static Threshold calibrated(Calibration calibration);

    double of(const Counts& counts) const;
    Verdict operator()(const Reading& reading, const Counts* counts, int order) const;

private:
    enum class Kind : std::uint8_t { fixed, spec, calibrated };

    Kind kind_ = Kind::spec;
    double value_ = 0;
    Calibration calibration_;
};

}  // namespace paucal
