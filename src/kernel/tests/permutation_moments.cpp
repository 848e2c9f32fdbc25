#include "tests/permutation_moments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "isa/isa.hpp"
#include "math/special.hpp"

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

    // By the sums of the squared margins.
    const Cumulants& operator()(double n, double rows, double columns) const {
        return known_[static_cast<std::size_t>(n)][static_cast<std::size_t>(rows)][static_cast<std::size_t>(columns)];
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
        for (double& value : values) out.mean += (value *= n) / count;
        for (const double value : values) {
            const double d = value - out.mean;
            out.variance += d * d / count;
            out.third += d * d * d / count;
        }
        return out;
    }

    std::array<std::array<std::array<Cumulants, 26>, 26>, kMostEnumerated + 1> known_{};
};

struct Margin {
    double used, least, most;

    bool equal() const { return least == most; }
    bool one_and_the_rest() const { return used == 2 && least == 1; }
};

bool says_nothing(const Margin& r, const Margin& c) {
    return r.used < 2 || c.used < 2 || r.most == 1 || c.most == 1 || (r.one_and_the_rest() && c.equal()) ||
           (c.one_and_the_rest() && r.equal());
}

}  // namespace

double pearson3_sf(double statistic, const Cumulants& cumulants) {
    const double sd = std::sqrt(cumulants.variance), z = (statistic - cumulants.mean) / sd;
    const double skewness = cumulants.third / (cumulants.variance * sd);
    if (std::fabs(skewness) < kSmallSkewness) return .5 * erfc(z * std::sqrt(.5));
    const double shape = 4 / (skewness * skewness), shift = z * std::sqrt(shape);
    return skewness > 0 ? gamma_q(shape, shape + shift) : gamma_p(shape, shape - shift);
}

bool says_nothing(const Slice& slice) {
    const auto margin = [](const std::uint32_t* count, std::uint32_t levels) {
        const auto [least, most] = std::minmax_element(count, count + levels);
        return Margin{static_cast<double>(levels), static_cast<double>(*least), static_cast<double>(*most)};
    };
    return says_nothing(margin(slice.row_margin, slice.n_rows), margin(slice.column_margin, slice.n_columns));
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
    trace_ = ag_ = Two{0, 0};
    for (std::uint32_t i = 0; i < levels_; ++i) {
        const Two a{i < slice.n_rows ? static_cast<double>(rows[i]) : 0,
                    i < slice.n_columns ? static_cast<double>(columns[i]) : 0};
        const Two w = 1 / (a + beta_), g = a * w;
        count_[i] = a;
        weight_[i] = w;
        trace_ += g - 1 / n_ * a * g;
        ag_ += a * g;
    }
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

SmoothedChi2Sum::SmoothedChi2Sum(Counts& counts) {
    if (counts.cells && std::max(counts.kx, counts.ky) <= kFewLevels)
        add_tables(counts);
    else
        add_slices(counts);
}

// Small tables as they are: listing their cells would take longer than computing with the empty ones.
void SmoothedChi2Sum::add_tables(const Counts& counts) {
    const auto margin = [](const PerStratum& used, const PerStratum& least, const PerStratum& most, int lane) {
        return Margin{used.at[lane], least.at[lane], most.at[lane]};
    };
    const std::uint32_t* waiting[kLanes];
    int lanes = 0;
    const auto serve = [&] {
        std::fill(waiting + lanes, waiting + kLanes, waiting[0]);
        FourStrata four;
        hot().moments.of_tables(waiting, counts.kx, counts.ky, &four);
        for (int lane = 0; lane < lanes; ++lane)
            if (!says_nothing(margin(four.used.row, four.least.row, four.most.row, lane),
                              margin(four.used.column, four.least.column, four.most.column, lane)))
                add(four, lane);
        lanes = 0;
    };
    const std::uint32_t *table = counts.cells, size = counts.kx * counts.ky;
    for (std::size_t s = 0; s < counts.strata; ++s, table += size) {
        std::uint32_t samples = 0;  // fewer than three say nothing
        for (std::uint32_t c = 0; c < size && samples < 3; ++c) samples += table[c];
        strata += samples > 0;
        if (samples < 3) continue;
        waiting[lanes] = table;
        if (++lanes == kLanes) serve();
    }
    if (lanes > 0) serve();
}

void SmoothedChi2Sum::add_slices(Counts& counts) {
    std::vector<PerMargin> count, weight;
    FourStrata four;
    int lanes = 0;
    const auto serve = [&] {
        weight.resize(count.size());
        hot().moments.of_margins(count.data(), static_cast<std::uint32_t>(count.size()), weight.data(), &four);
        for (int lane = 0; lane < lanes; ++lane) add(four, lane);
        count.clear();
        lanes = 0;
    };
    counts.each_slice([&](const Slice& slice) {
        ++strata;
        if (says_nothing(slice)) return;
        count.resize(std::max<std::size_t>({count.size(), slice.n_rows, slice.n_columns}));
        for (std::uint32_t i = 0; i < slice.n_rows; ++i) count[i].row.at[lanes] = slice.row_margin[i];
        for (std::uint32_t j = 0; j < slice.n_columns; ++j) count[j].column.at[lanes] = slice.column_margin[j];
        four.statistic.at[lanes] = SmoothedChi2(slice).statistic();
        if (++lanes == kLanes) serve();
    });
    if (lanes > 0) serve();
}

void SmoothedChi2Sum::add(const FourStrata& four, int lane) {
    static const SmallTables small;
    const double n = four.total.at[lane];
    statistic += four.statistic.at[lane];
    within_reach += four.within_reach.at[lane];
    cumulants.add(n > kMostEnumerated ? Cumulants{four.mean.at[lane], four.variance.at[lane], four.third.at[lane]}
                                      : small(n, four.squares.row.at[lane], four.squares.column.at[lane]));
    ++informative;
}

}  // namespace paucal
