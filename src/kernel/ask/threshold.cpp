#include "ask/threshold.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace paucal {

Threshold Threshold::fixed(double value) {
    Threshold out;
    out.kind_ = Kind::fixed;
    out.value_ = value;
    return out;
}

Threshold Threshold::spec() { return {}; }

Threshold Threshold::calibrated(Calibration calibration) {
    Threshold out;
    out.kind_ = Kind::calibrated;
    out.calibration_ = std::move(calibration);
    return out;
}

namespace {

// Position of a value between the nodes: the lower node and the weight of the upper one. Clamped at both ends.
std::pair<std::size_t, double> locate(const std::vector<double>& nodes, double value) {
    const auto above = std::upper_bound(nodes.begin(), nodes.end(), value);
    if (above == nodes.begin()) return {0, 0};
    if (above == nodes.end()) return {nodes.size() - 1, 0};
    const double low = above[-1];
    return {static_cast<std::size_t>(above - nodes.begin()) - 1, (value - low) / (*above - low)};
}

}  // namespace

Threshold::Sum::Sum(const Threshold& threshold, double kx, double ky, double configurations, int order)
    : threshold_(threshold), kx_(kx), ky_(ky), configurations_(configurations) {
    if (threshold.kind_ != Kind::calibrated) return;
    const Calibration& c = threshold.calibration_;
    const auto [i, right] = locate(c.log_levels, std::log(kx));
    const auto [j, up] = locate(c.log_levels, std::log(ky));
    const std::size_t levels = c.log_levels.size();
    const std::size_t which = std::min(static_cast<std::size_t>(order), c.normal.size() - 1);
    quantiles_ = which * c.mean.size();
    normal_ = c.normal[which];
    for (int corner = 0; corner < 4; ++corner) {
        const std::size_t a = std::min(levels - 1, i + (corner & 1)), b = std::min(levels - 1, j + (corner >> 1));
        corner_[corner] = (a * levels + b) * c.ratios;
        weight_[corner] = (corner & 1 ? right : 1 - right) * (corner >> 1 ? up : 1 - up);
    }
}

void Threshold::Sum::look_up(double n) {
    const Calibration& c = threshold_.calibration_;
    const double last = static_cast<double>(c.ratios - 1);
    const double ratio = std::log2(n / (kx_ * ky_)), at = std::clamp((ratio - c.first_ratio) / c.step, 0., last);
    const auto node = static_cast<std::size_t>(std::min(at, last - 1));
    const double upper = at - static_cast<double>(node);
    double mean = 0, deviation = 0, quantile = 0;
    for (int corner = 0; corner < 4; ++corner) {
        if (weight_[corner] == 0) continue;
        const std::size_t k = corner_[corner] + node;
        const auto between = [&](const double* v) { return v[k] + upper * (v[k + 1] - v[k]); };
        mean += weight_[corner] * between(c.mean.data());
        deviation += weight_[corner] * between(c.deviation.data());
        quantile += weight_[corner] * between(c.quantile.data() + quantiles_);
    }
    if (ratio < c.first_ratio) {  // nearly empty tables: the estimate itself hardly changes, its unit does
        const double smaller = std::exp2(ratio - c.first_ratio);
        mean *= smaller;
        deviation *= smaller;
    }
    const double v = deviation * deviation;
    mean_ += mean;
    variance_ += v;
    squares_ += v * v;
    quantile_ += v * quantile;
}

double Threshold::Sum::value() const {
    if (threshold_.kind_ == Kind::fixed) return threshold_.value_;
    if (threshold_.kind_ == Kind::spec) return .75 / (total_ / (kx_ * ky_ * configurations_) + 1.2);
    const double dof = (kx_ - 1) * (ky_ - 1);
    double above = 0;
    if (variance_ > 0) {
        const double strata = variance_ * variance_ / squares_;  // as many equal ones would vary as much
        above = std::sqrt(2 * dof * variance_) * (normal_ + (quantile_ / variance_ - normal_) / std::sqrt(strata));
    }
    constexpr double kLeast = 1e-9;  // no information at all is never above the threshold
    return std::max(kLeast, (dof * mean_ + above) / (2 * total_));
}

}  // namespace paucal
