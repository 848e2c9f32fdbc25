// How much information counts as dependence: a number, or a function of how thin the data are.
#pragma once
#include <cstdint>
#include <vector>

namespace paucal {

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

    // Adds up what the strata contribute. The sum of many strata is nearer to a normal distribution than one of them:
    // the quantile follows the leading term of Cornish and Fisher, which falls with the root of their number.
    class Sum {
    public:
        Sum(const Threshold& threshold, double kx, double ky, double configurations, int order);
        void add(double n) {
            total_ += n;
            if (threshold_.kind_ == Kind::calibrated) look_up(n);
        }
        double value() const;

    private:
        void look_up(double n);

        const Threshold& threshold_;
        double kx_, ky_, configurations_;
        std::size_t corner_[4] = {}, quantiles_ = 0;  // where the tables begin
        double weight_[4] = {};
        double total_ = 0, mean_ = 0, variance_ = 0, squares_ = 0, quantile_ = 0, normal_ = 0;
    };

private:
    enum class Kind : std::uint8_t { fixed, spec, calibrated };
    Kind kind_ = Kind::spec;
    double value_ = 0;
    Calibration calibration_;
};

}  // namespace paucal
