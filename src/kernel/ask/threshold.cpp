#include "ask/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ask/criterion.hpp"
#include "errors.hpp"

namespace paucal {
namespace {

// Position of a value between the nodes: the lower node and the weight of the upper one. Clamped at both ends.
std::pair<std::size_t, double> locate(const std::vector<double>& nodes, double value) {
    const auto above = std::upper_bound(nodes.begin(), nodes.end(), value);
    if (above == nodes.begin()) return {0, 0};
    if (above == nodes.end()) return {nodes.size() - 1, 0};
    const double low = above[-1];
    return {static_cast<std::size_t>(above - nodes.begin()) - 1, (value - low) / (*above - low)};
}

void check(const Calibration& c) {
    const std::size_t levels = c.log_levels.size(), size = levels * levels * c.ratios;
    if (levels == 0 || c.ratios < 2 || c.normal.empty() || c.mean.size() != size || c.deviation.size() != size ||
        c.quantile.size() != size * c.normal.size())
        refuse("the tables of a calibration must be levels x levels x at least two ratios, those of quantiles once for "
               "each normal quantile");
    if (!std::is_sorted(c.log_levels.begin(), c.log_levels.end())) refuse("the levels of a calibration must ascend");
    check_positive("step", c.step);
    check_finite("first_ratio", c.first_ratio);
    for (const auto* values : {&c.log_levels, &c.mean, &c.deviation, &c.quantile, &c.normal})
        for (const double value : *values) check_finite("a number of the calibration", value);
}

// Adds up what the strata contribute. The sum of many strata is nearer to a normal distribution than one of them: the
// quantile follows the leading term of Cornish and Fisher, which falls with the root of their number.
class Sum {
public:
    Sum(const Calibration& calibration, const Counts& counts)
        : c_(calibration), cells_(double{1} * counts.kx * counts.ky), dof_((counts.kx - 1.) * (counts.ky - 1.)) {
        const auto [i, right] = locate(c_.log_levels, std::log(counts.kx));
        const auto [j, up] = locate(c_.log_levels, std::log(counts.ky));
        const std::size_t levels = c_.log_levels.size();
        const std::size_t which = std::min(static_cast<std::size_t>(counts.order), c_.normal.size() - 1);
        quantiles_ = which * c_.mean.size();
        normal_ = c_.normal[which];
        for (int corner = 0; corner < 4; ++corner) {
            const std::size_t a = std::min(levels - 1, i + (corner & 1)), b = std::min(levels - 1, j + (corner >> 1));
            corner_[corner] = (a * levels + b) * c_.ratios;
            weight_[corner] = (corner & 1 ? right : 1 - right) * (corner >> 1 ? up : 1 - up);
        }
    }

    void add(double n) {
        const double last = static_cast<double>(c_.ratios - 1);
        const double ratio = std::log2(n / cells_), at = std::clamp((ratio - c_.first_ratio) / c_.step, 0., last);
        const auto node = static_cast<std::size_t>(std::min(at, last - 1));
        const double upper = at - static_cast<double>(node);
        double mean = 0, deviation = 0, quantile = 0;
        for (int corner = 0; corner < 4; ++corner) {
            if (weight_[corner] == 0) continue;
            const std::size_t k = corner_[corner] + node;
            const auto between = [&](const double* v) { return v[k] + upper * (v[k + 1] - v[k]); };
            mean += weight_[corner] * between(c_.mean.data());
            deviation += weight_[corner] * between(c_.deviation.data());
            quantile += weight_[corner] * between(c_.quantile.data() + quantiles_);
        }
        if (ratio < c_.first_ratio) {  // nearly empty tables: the estimate itself hardly changes, its unit does
            const double smaller = n / cells_ / std::exp2(c_.first_ratio);
            mean *= smaller;
            deviation *= smaller;
        }
        const double v = deviation * deviation;
        mean_ += mean;
        variance_ += v;
        squares_ += v * v;
        quantile_ += v * quantile;
    }

    double value(double total) const {
        double above = 0;
        if (variance_ > 0) {
            const double strata = variance_ * variance_ / squares_;  // as many equal ones would vary as much
            above = std::sqrt(2 * dof_ * variance_) * (normal_ + (quantile_ / variance_ - normal_) / std::sqrt(strata));
        }
        constexpr double kLeast = 1e-9;  // no information at all is never above the threshold
        return std::max(kLeast, (dof_ * mean_ + above) / (2 * total));
    }

private:
    const Calibration& c_;
    double cells_, dof_;
    std::size_t corner_[4] = {}, quantiles_ = 0;  // where the tables begin
    double weight_[4] = {};
    double mean_ = 0, variance_ = 0, squares_ = 0, quantile_ = 0, normal_ = 0;
};

}  // namespace

Threshold Threshold::fixed(double value) {
    check_finite("a threshold", value);
    Threshold out;
    out.kind_ = Kind::fixed;
    out.value_ = value;
    return out;
}

Threshold Threshold::spec() { return {}; }

Threshold Threshold::calibrated(Calibration calibration) {
    check(calibration);
    Threshold out;
    out.kind_ = Kind::calibrated;
    out.calibration_ = std::move(calibration);
    return out;
}

double Threshold::of(const Counts& counts) const {
    const double total = counts.total;
    if (kind_ == Kind::fixed) return value_;
    if (kind_ == Kind::spec) return .75 / (total / (double{1} * counts.kx * counts.ky * counts.configurations) + 1.2);
    Sum sum(calibration_, counts);
    counts.each_total([&](std::uint32_t n) { sum.add(n); });
    return sum.value(total);
}

// Where no stratum could have shown a dependence, none was seen, whatever the estimate.
Verdict Threshold::operator()(const Reading& reading, const Counts* counts, int) const {
    const double threshold = counts ? of(*counts) : kNone;
    return {reading.informative == 0 || reading.statistic < threshold, threshold, 0 - reading.statistic};
}

}  // namespace paucal
