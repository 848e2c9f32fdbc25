#include "math/dirichlet.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/isa.hpp"
#include "math/special.hpp"

namespace paucal {

void Occupancy::clear(double all_cells) {
    n.clear();
    times.clear();
    large.clear();
    large_times.clear();
    cells = all_cells;
    total = occupied = largest = pairs = 0;
    std::fill_n(having_, kSmall + 1, 0u);
}

void Occupancy::add(const std::uint32_t* counts, std::size_t size) {
    const std::size_t before = n.size();
    n.resize(before + size);
    double* out = n.data() + before;
    for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t count = counts[i];
        const double value = count;
        out[i] = value;
        total += value;
        pairs += value * (value - 1);
        largest = std::max(largest, value);
        if (count > kSmall) large.push_back(value);
        ++having_[std::min<std::uint32_t>(count, kSmall)];
    }
    occupied += static_cast<double>(size);
}

namespace {

void merge_equal(std::vector<double>& values, std::vector<double>& times) {
    std::sort(values.begin(), values.end());
    std::size_t used = 0;
    for (std::size_t i = 0, j; i < values.size(); i = j) {
        for (j = i; j < values.size() && values[j] == values[i]; ++j) {}
        values[used++] = values[i];
        times.push_back(static_cast<double>(j - i));
    }
    values.resize(used);
}

}  // namespace

void Occupancy::finish(bool merge) {
    for (std::uint32_t j = kSmall - 1, above = 0; j > 0; --j) {
        above += having_[j + 1];
        reaching[j - 1] = above;
        whole_reaching[j - 1] = total > j;
    }
    excess = pairs - total * (total - 1) / cells;
    if (merge) {
        merge_equal(n, times);
        merge_equal(large, large_times);
    } else {
        large_times.assign(large.size(), 1);
    }
    while (large.size() % 4) {
        large.push_back(kSmall);
        large_times.push_back(0);
    }
}

double polya(const Occupancy& counts, double alpha) {
    double value = -log_rising(counts.cells * alpha, counts.total);
    for (std::size_t i = 0; i < counts.n.size(); ++i)
        value += (counts.times.empty() ? 1 : counts.times[i]) * log_rising(alpha, counts.n[i]);
    return value;
}

static_assert(Occupancy::kSmall == kDirectTerms + 1);

namespace {

struct Value {
    double value, derivative;  // with respect to ln alpha
};

Value harmonic(const Occupancy& c, double a) {
    Value out;
    hot().sums.harmonic(c.reaching, c.large.data(), c.large_times.data(), c.large.size(), a, &out.value,
                        &out.derivative);
    return out;
}

// The same for all samples in one cell.
Value harmonic_of_total(const Occupancy& c, double a) {
    Value out;
    const double n[4] = {c.total, c.total, c.total, c.total}, once[4] = {1, 0, 0, 0};
    hot().sums.harmonic(c.whole_reaching, n, once, c.total > Occupancy::kSmall, a, &out.value, &out.derivative);
    return out;
}

// a times the derivative of the likelihood is F1 - F2 with
//   F1 = m + a sum over cells of [psi(a + n) - psi(a + 1)],   F2 = 1 + K a [psi(K a + N) - psi(K a + 1)]
// (m occupied cells; the poles at a = 0 are already taken out). Where F1 / F2 is near 1, (F1 - F2) / (F1 + F2) is nearly
// straight in ln a.
Value by_harmonic_sums(const Occupancy& c, double a) {
    const double b = a * c.cells;
    const Value cells = harmonic(c, a), whole = harmonic_of_total(c, b);
    const double f1 = c.occupied + a * cells.value, f2 = 1 + b * whole.value, inverse = 1 / (f1 + f2);
    const double z = (f1 - f2) * inverse;  // 2 artanh z = ln(F1 / F2)
    const double d1 = a * (cells.value - a * cells.derivative), d2 = b * (whole.value - b * whole.derivative);
    return {z, 2 * (d1 * f2 - d2 * f1) * (inverse * inverse)};
}

constexpr double kSquareSumsFrom = 16;

// R(n, a) = sum of j^2 / (a + j) over j < n, by Euler and Maclaurin for a >= kSquareSumsFrom. Nothing cancels, however
// large a is.
Value square_sum(double n, double a) {
    if (n <= Occupancy::kSmall) {
        double sum = 0, slope = 0;
        for (double j = 1; j < n; ++j) {
            const double y = j / (a + j);
            sum += j * y;
            slope -= y * y;
        }
        return {sum, a * slope};
    }
    const double x = n / a, y = 1 / (a + n), g = log1p_tail(x), inverse = 1 / a;
    const double step = inverse * inverse, first = n * y * inverse * (inverse + y);  // a^-2 - y^2
    constexpr double bernoulli[] = {1. / 12, -1. / 120, 1. / 252, -1. / 240, 1. / 132};
    double series = 0, difference = first, power = y * y;  // a^-2k - y^2k, y^2k
    for (const double b : bernoulli) {
        series += b * difference;
        difference = difference * step + power * first;
        power *= y * y;
    }
    const double value = a * a * (g + series) - n * n * y / 2;
    const double slope = a * (2 * g - x * x * x / (1 + x)) + n * n * y * y / 2 - a * n * y * y * y / 6;
    return {value, a * slope};
}

// Towards infinity F1 and F2 agree in more and more digits. With R as above the same equation is
//   sum over cells of R(n, a) - R(N, K a) / K = excess / 2,
// in which the right-hand side is exact and the left-hand side falls like 1/a.
Value by_square_sums(const Occupancy& c, double a) {
    Value cells{0, 0};
    for (std::size_t i = 0; i < c.n.size(); ++i) {
        const Value one = square_sum(c.n[i], a);
        const double times = c.times.empty() ? 1 : c.times[i];
        cells.value += times * one.value;
        cells.derivative += times * one.derivative;
    }
    const Value whole = square_sum(c.total, a * c.cells);
    const double left = cells.value - whole.value / c.cells;
    if (left <= 0) return {-1, -1};
    return {std::log(left / (c.excess / 2)), (cells.derivative - whole.derivative / c.cells) / left};
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One search for a maximum: steps in ln a, inside the bracket that the signs give.
class Search {
public:
    void begin(const Occupancy& c) {
        counts_ = &c;
        done = true;
        if (c.total <= 1)
            a = std::numeric_limits<double>::quiet_NaN();
        else if (c.occupied == 1)
            a = 0;
        else if (c.excess <= 0)
            a = kInfinity;
        else
            start(c);
    }

    void improve() {
        const Occupancy& c = *counts_;
        const bool squares = a >= kSquareSumsFrom && 4 * a >= c.largest;
        const Value h = squares ? by_square_sums(c, a) : by_harmonic_sums(c, a);
        (h.value > 0 ? low_ : high_) = a;
        const double inverse = 1 / h.derivative;
        double step;
        if (!(h.derivative < 0)) {
            step = h.value > 0 ? 1 : -1;
        } else if (squares) {
            step = -h.value * inverse;  // Newton's
        } else if (std::fabs(last_step_) < 1) {
            // ln a as the cubic in h that has the last two points and their slopes.
            const double d = 1 / (h.value - last_.value), chord = last_step_ * d;
            const double curve = (inverse - chord) - last_.value * (inverse + last_.derivative - 2 * chord) * d;
            step = h.value * (h.value * curve * d - inverse);
        } else {  // Newton's for artanh h
            const double w = h.value * h.value;
            step = -h.value * (1 + w * (1. / 3 + w * (1. / 5 + w / 7))) * (1 - w) * inverse;
        }
        step = std::clamp(step, -2., 2.);
        const double even = 1 + step * step / 12;
        double next = a * (even + step / 2) / (even - step / 2);  // a exp(step), nearly
        if (!(next > low_ && next < high_)) {
            next = low_ > 0 && high_ < kInfinity ? std::sqrt(low_) * std::sqrt(high_) : a * (h.value > 0 ? 4 : .25);
            step = kInfinity;
        }
        a = next;
        // The next error is about the square of the last step, or of the last two with the cubic.
        done = std::fabs(step) < 1e-6 || (!squares && std::fabs(step * last_step_) < 1e-6) ||
               high_ - low_ < 1e-14 * low_ || ++steps_ == 200;
        last_ = {h.value, inverse};
        last_step_ = squares ? kInfinity : step;
    }

    double a = 0;
    bool done = true;

private:
    void start(const Occupancy& c) {
        // Where the moments agree.
        a = (c.total * (c.total - 1) - c.pairs) / (c.cells * c.excess);
        low_ = 0;
        high_ = last_step_ = kInfinity;
        steps_ = 0;
        done = false;
    }

    const Occupancy* counts_ = nullptr;
    double low_ = 0, high_ = 0, last_step_ = 0;
    Value last_{0, 0};  // value, and d ln a / d value
    int steps_ = 0;
};

}  // namespace

double alpha_star(const Occupancy& counts) {
    Search search;
    for (search.begin(counts); !search.done;) search.improve();
    return search.a;
}

namespace {

double log_likelihood(const Occupancy& counts, const Occupancy& strata, double cells, double a) {
    double value = 0;
    for (std::size_t i = 0; i < counts.n.size(); ++i) value += counts.times[i] * log_rising(a, counts.n[i]);
    for (std::size_t s = 0; s < strata.n.size(); ++s) value -= strata.times[s] * log_rising(cells * a, strata.n[s]);
    return value;
}

double scaled_slope(const Occupancy& counts, const Occupancy& strata, double cells, double a) {
    const auto part = [](const Occupancy& c, double b) {
        return c.occupied + b * harmonic(c, b).value;
    };
    return part(counts, a) - part(strata, cells * a);
}

}  // namespace

double alpha_star_pooled(const Occupancy& counts, const Occupancy& strata, double cells) {
    if (strata.largest <= 1) return std::numeric_limits<double>::quiet_NaN();
    if (counts.occupied == strata.occupied) return 0;  // one cell in every stratum
    constexpr double kFrom = -18, kTo = 18, kStep = .25;
    // The limit at infinity, which only more than rounding may exceed: for large alpha the likelihood is all but equal.
    double best = -counts.total * std::log(cells) * (1 - 1e-12), at = kInfinity;
    for (double u = kFrom; u <= kTo; u += kStep) {
        const double value = log_likelihood(counts, strata, cells, std::exp(u));
        if (value > best) best = value, at = u;
    }
    if (at == kInfinity) return kInfinity;
    double low = at - kStep, high = at + kStep;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (scaled_slope(counts, strata, cells, std::exp(middle)) > 0 ? low : high) = middle;
    }
    return std::exp((low + high) / 2);
}

}  // namespace paucal
