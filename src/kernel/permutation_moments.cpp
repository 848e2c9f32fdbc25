#include "permutation_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "special.hpp"

namespace paucal {
namespace {

constexpr double kSmallSkewness = 1e-4;  // below, the gamma distribution is taken as normal
constexpr std::uint32_t kMostEnumerated = 5;

double smoothing(double n) { return std::sqrt(n / 10); }

// Up to five samples all arrangements are enumerated, once for all margins: at this size the sum of squares tells one
// partition of n from another.
class SmallTables {
    using Parts = std::vector<std::uint32_t>;

public:
    SmallTables() {
        const auto squares = [](const Parts& a) { return std::inner_product(a.begin(), a.end(), a.begin(), 0u); };
        for (std::uint32_t n = 2; n <= kMostEnumerated; ++n) {
            std::vector<Parts> partitions;
            Parts parts;
            partition(n, n, parts, partitions);
            for (const auto& a : partitions)
                for (const auto& b : partitions) known_[n][squares(a)][squares(b)] = enumerate(n, a, b);
        }
    }

    const Cumulants& operator()(const Slice& slice) const {
        const auto squares = [](const std::uint32_t* a, std::uint32_t n) { return std::inner_product(a, a + n, a, 0u); };
        return known_[slice.total][squares(slice.row_margin, slice.n_rows)][squares(slice.column_margin, slice.n_columns)];
    }

private:
    static void partition(std::uint32_t rest, std::uint32_t most, Parts& parts, std::vector<Parts>& out) {
        if (rest == 0) out.push_back(parts);
        for (std::uint32_t part = std::min(rest, most); part > 0; --part) {
            parts.push_back(part);
            partition(rest - part, part, parts, out);
            parts.pop_back();
        }
    }

    static std::vector<std::uint32_t> labels(const Parts& parts) {
        std::vector<std::uint32_t> out;
        for (std::uint32_t level = 0; level < parts.size(); ++level) out.insert(out.end(), parts[level], level);
        return out;
    }

    // Every distinct arrangement of the labels is equally likely.
    static Cumulants enumerate(std::uint32_t n, const Parts& a, const Parts& b) {
        const double beta = smoothing(n);
        const Parts row = labels(a);
        Parts column = labels(b);
        std::vector<double> values;
        do {
            double table[kMostEnumerated][kMostEnumerated] = {}, value = 0;
            for (std::uint32_t s = 0; s < n; ++s) ++table[row[s]][column[s]];
            for (std::size_t i = 0; i < a.size(); ++i)
                for (std::size_t j = 0; j < b.size(); ++j) {
                    const double d = table[i][j] - static_cast<double>(a[i]) * b[j] / n;
                    value += d * d / ((a[i] + beta) * (b[j] + beta));
                }
            values.push_back(value);
        } while (std::next_permutation(column.begin(), column.end()));
        const auto count = static_cast<double>(values.size());
        Cumulants out;
        for (const double value : values) out.mean += value / count;
        for (const double value : values) {
            const double d = value - out.mean;
            out.variance += d * d / count;
            out.third += d * d * d / count;
        }
        return out;
    }

    std::array<std::array<std::array<Cumulants, 26>, 26>, kMostEnumerated + 1> known_{};
};

}  // namespace

double pearson3_sf(double statistic, const Cumulants& cumulants) {
    const double sd = std::sqrt(cumulants.variance), z = (statistic - cumulants.mean) / sd;
    const double skewness = cumulants.third / (cumulants.variance * sd);
    if (std::fabs(skewness) < kSmallSkewness) return .5 * std::erfc(z * std::sqrt(.5));
    const double shape = 4 / (skewness * skewness), shift = z * std::sqrt(shape);
    return skewness > 0 ? gamma_q(shape, shape + shift) : gamma_p(shape, shape - shift);
}

bool says_nothing(const Slice& slice) {
    struct Margin {
        std::uint32_t used = 0, least = ~0u, most = 0;
        Margin(const std::uint32_t* margin, std::uint32_t n) {
            for (std::uint32_t i = 0; i < n; ++i) {
                used += margin[i] > 0;
                least = std::min(least, margin[i] - 1);  // what nobody has becomes the largest number
                most = std::max(most, margin[i]);
            }
            ++least;
        }
        bool equal() const { return least == most; }
        bool one_and_the_rest() const { return used == 2 && least == 1; }
    };
    const Margin r(slice.row_margin, slice.n_rows), c(slice.column_margin, slice.n_columns);
    return r.used < 2 || c.used < 2 || r.most == 1 || c.most == 1 || (r.one_and_the_rest() && c.equal()) ||
           (c.one_and_the_rest() && r.equal());
}

SmoothedChi2::SmoothedChi2(const Slice& slice)
    : slice_(slice),
      n_(slice.total),
      beta_(smoothing(n_)),
      levels_(std::max(slice.n_rows, slice.n_columns)),
      many_(levels_ > kFewLevels ? 2 * std::size_t{levels_} : 0),
      count_(many_.empty() ? few_ : many_.data()),
      weight_(count_ + levels_) {
    const std::uint32_t *rows = slice.row_margin, *columns = slice.column_margin;
    const Two zero{0, 0};
    Two trace = zero, g2 = zero, g3 = zero, ag = zero, ag2 = zero, ag3 = zero;
    for (std::uint32_t i = 0; i < levels_; ++i) {
        const Two a{i < slice.n_rows ? static_cast<double>(rows[i]) : 0,
                    i < slice.n_columns ? static_cast<double>(columns[i]) : 0};
        const Two w = 1 / (a + beta_), g = a * w, g_g = g * g, a_g = a * g;
        count_[i] = a;
        weight_[i] = w;
        trace += n_ * g - a_g;
        g2 += g_g;
        g3 += g_g * g;
        ag += a_g;
        ag2 += a_g * g;
        ag3 += a_g * g_g;
    }
    trace_ = 1 / n_ * trace;
    g2_ = g2, g3_ = g3, ag_ = ag, ag2_ = ag2, ag3_ = ag3;
}

// What the cumulants need to know of a variable: traces of powers and sums over entries of its centred matrix, named as
// in the closed forms. Samples of the same level have the same rows, so all sums run over levels.
struct SmoothedChi2::Invariants {
    Two T2, T3, S2, S3, R, U, B;
};

SmoothedChi2::Invariants SmoothedChi2::invariants() const {
    const double n = n_, share = 1 / n;
    const Two mean = 1 / (n - 1) * trace_;  // eigenvalue
    const Two s1 = share * ag_, s2 = share * ag2_, s3 = share * ag3_;
    const Two q1 = s1, q2 = share * s2, q3 = share * share * s3;
    const Two trace2 = g2_ - 2 * s2 + s1 * s1;
    const Two trace3 = g3_ - 3 * s3 + 3 * s1 * s2 - s1 * s1 * s1;
    const Two zero{0, 0}, base = share * (s1 + mean);
    Two T2 = zero, S2 = zero, S3 = zero, R = zero, U = zero, B = zero;
    for (std::uint32_t i = 0; i < levels_; ++i) {
        const Two a = count_[i], w = weight_[i], q = share * a * w;
        // Entries of a row: x - q' with a sample of another level, `same` with one of its own, `self` on the diagonal;
        // the first form would give `other` for its own level.
        const Two x = base - q, other = x - q, same = w + other, self = same - mean;
        const Two x2 = x * x, other2 = other * other, same2 = same * same, self2 = self * self;
        const Two squares = n * x2 - 2 * x * q1 + q2 - a * other2 + (a - 1) * same2 + self2;
        const Two cubes = n * x2 * x - 3 * x2 * q1 + 3 * x * q2 - q3 - a * other2 * other + (a - 1) * same2 * same +
                          self2 * self;
        const Two a_self = a * self;
        T2 += a * squares;
        S2 += a_self * self;
        S3 += a_self * self2;
        R += a_self * squares;
        U += a * cubes;
        B += a_self * a_self * w;
    }
    return {T2, trace3 - 3 * mean * trace2 + 2 * mean * mean * trace_, S2, S3, R, U, B - mean * S2};
}

// Cumulants of tr(A P B P') for n >= 6; `both` is a product, `mixed` the sum of two.
Cumulants SmoothedChi2::closed_form() const {
    const double n = n_, n2 = n * n, n3 = n2 * n, n4 = n2 * n2;
    const auto both = [](Two v) { return v[0] * v[1]; };
    const auto mixed = [](Two v, Two w) { return v[0] * w[1] + w[0] * v[1]; };
    const auto [T2, T3, S2, S3, R, U, B] = invariants();
    const double variance = 2 * both(T2) / ((n + 1) * (n - 2)) + both(n * (n + 1) * S2 - 2 * (n - 1) * T2) /
                                                                     ((n + 1) * n * (n - 1) * (n - 2) * (n - 3));
    const double third =
        n2 * (n + 1) * (n2 + 15 * n - 4) * both(S3) + 4 * (n4 - 8 * n3 + 19 * n2 - 4 * n - 16) * both(U) +
        24 * (n2 - n - 4) * mixed(U, B) + 6 * (n4 - 8 * n3 + 21 * n2 - 6 * n - 24) * both(B) +
        12 * (n4 - n3 - 8 * n2 + 36 * n - 48) * both(R) + 24 * (n3 - 3 * n2 - 2 * n + 8) * mixed(R, U) +
        24 * (n3 - 2 * n2 - 3 * n + 12) * mixed(R, B) - 2 * n * (n - 1) * (n2 - n + 4) * mixed(2 * U + 3 * B, S3) -
        12 * n * (n - 1) * (n - 1) * (n + 4) * mixed(R, S3) + 16 * n * (n - 1) * (n - 2) * mixed(T3, S3) +
        8 * (n3 - 9 * n2 + 26 * n - 22) * both(T3) - 8 * (3 * n2 - 15 * n + 16) * mixed(T3, U) -
        8 * (3 * n2 - 15 * n + 24) * mixed(T3, B + (n - 2) * R);
    return {both(trace_) / (n - 1), variance, third / (n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5))};
}

double SmoothedChi2::statistic() const {
    const double share = 1 / n_;
    double occupied = 0, empty = ag_[0] * ag_[1] * share * share;  // an empty cell deviates by its expectation
    for (std::uint32_t c = 0; c < slice_.n_cells; ++c) {
        const std::uint32_t i = slice_.row[c], j = slice_.column[c];
        const double w = weight_[i][0] * weight_[j][1], e = count_[i][0] * count_[j][1] * share, d = slice_.count[c] - e;
        occupied += d * d * w;
        empty -= e * e * w;
    }
    if (slice_.n_cells == std::uint64_t{slice_.n_rows} * slice_.n_columns || empty < 0) empty = 0;
    return n_ * (occupied + empty);
}

double SmoothedChi2::statistic(const std::uint32_t* table) const {
    const double share = 1 / n_;
    double sum = 0;
    for (std::uint32_t i = 0; i < slice_.n_rows; ++i) {
        const double a = share * count_[i][0];
        double row = 0;
        for (std::uint32_t j = 0; j < slice_.n_columns; ++j) {
            const double d = *table++ - a * count_[j][1];
            row += d * d * weight_[j][1];
        }
        sum += row * weight_[i][0];
    }
    return n_ * sum;
}

Cumulants SmoothedChi2::cumulants() const {
    static const SmallTables small;
    const Cumulants one = slice_.total > kMostEnumerated ? closed_form() : small(slice_);
    return {n_ * one.mean, n_ * n_ * one.variance, n_ * n_ * n_ * one.third};
}

SmoothedChi2Sum::SmoothedChi2Sum(Counts& counts) {
    if (counts.cells && std::max(counts.kx, counts.ky) <= SmoothedChi2::kFewLevels) {
        add_dense(counts);
        return;
    }
    counts.each_slice([&](const Slice& slice) {
        ++strata;
        if (says_nothing(slice)) return;
        const SmoothedChi2 stratum(slice);
        add(stratum, stratum.statistic());
    });
}

// Small tables as they are: listing their cells would take longer than computing with the empty ones.
void SmoothedChi2Sum::add_dense(const Counts& counts) {
    const std::uint32_t kx = counts.kx, ky = counts.ky, *table = counts.cells;
    for (std::size_t s = 0; s < counts.strata; ++s, table += std::size_t{kx} * ky) {
        std::uint32_t rows[SmoothedChi2::kFewLevels], columns[SmoothedChi2::kFewLevels] = {}, total = 0;
        for (std::uint32_t i = 0; i < kx; ++i) {
            std::uint32_t margin = 0;
            for (std::uint32_t j = 0; j < ky; ++j) {
                margin += table[i * ky + j];
                columns[j] += table[i * ky + j];
            }
            rows[i] = margin;
            total += margin;
        }
        if (!total) continue;
        ++strata;
        const Slice margins{total, kx, ky, 0, rows, columns, nullptr, nullptr, nullptr};
        if (says_nothing(margins)) continue;
        const SmoothedChi2 stratum(margins);
        add(stratum, stratum.statistic(table));
    }
}

void SmoothedChi2Sum::add(const SmoothedChi2& stratum, double value) {
    statistic += value;
    within_reach += stratum.within_reach();
    cumulants.add(stratum.cumulants());
    silent = false;
}

}  // namespace paucal
