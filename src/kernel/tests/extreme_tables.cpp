// How large the smoothed chi-square can become when the margins are given: what the margins allow the data to say.
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "tests/permutation_moments.hpp"

namespace paucal {
namespace {

constexpr std::uint32_t kMostSubsets = 8;           // columns of a table with two rows that is searched completely
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 14;  // beyond, rows are not looked at one by one

}  // namespace

// The table in which the most frequent levels meet, then the next most frequent, and so on.
double SmoothedChi2::reach() const {
    const std::uint32_t r = slice_.n_rows, c = slice_.n_columns;
    std::uint32_t few[2 * kFewLevels];
    std::vector<std::uint32_t> many(levels_ > kFewLevels ? std::size_t{r} + c : 0);
    std::uint32_t *a = many.empty() ? few : many.data(), *b = a + r;
    std::copy_n(slice_.row_margin, r, a);
    std::copy_n(slice_.column_margin, c, b);
    std::sort(a, a + r, std::greater<>());
    std::sort(b, b + c, std::greater<>());
    double sum = ag_[0] * ag_[1] / (n_ * n_);  // of a table without any sample, then corrected cell by cell
    std::uint32_t left = a[0], free = b[0];
    for (std::uint32_t i = 0, j = 0; i < r && j < c;) {
        const std::uint32_t n = std::min(left, free);
        sum += n * (n - 2. * a[i] * b[j] / n_) / ((a[i] + beta_) * (b[j] + beta_));
        left -= n, free -= n;
        if (left == 0 && ++i < r) left = a[i];
        if (free == 0 && ++j < c) free = b[j];
    }
    return n_ * sum;
}

double SmoothedChi2::reach_at_most() const {
    // The trace of a product is at most the largest eigenvalue of one factor times the trace of the other.
    double largest[2] = {0, 0};
    for (std::uint32_t i = 0; i < levels_; ++i)
        for (int side = 0; side < 2; ++side) largest[side] = std::max(largest[side], count_[i][side] * weight_[i][side]);
    double most = std::min(largest[0] * trace_[1], largest[1] * trace_[0]);
    if (std::uint64_t{slice_.n_rows} * slice_.n_columns <= kMostCells) most = std::min({most, bound(0), bound(1)});
    return n_ * most;
}

// A bound of T / n from the rows, each taken on its own: the row holds a samples, column j at most b_j of them.
double SmoothedChi2::bound(int rows) const {
    const std::uint32_t n_rows = rows == 0 ? slice_.n_rows : slice_.n_columns;
    const std::uint32_t n_columns = rows == 0 ? slice_.n_columns : slice_.n_rows;
    if (n_rows == 2) {  // the two deviate by the same amounts
        const double a = count_[0][rows], weight = weight_[0][rows] + weight_[1][rows];
        if (n_columns <= kMostSubsets) return weight * largest_row(a, 1 - rows);
        return weight * std::min(bound_of_row(a, 1 - rows), bound_of_row(n_ - a, 1 - rows));
    }
    double sum = 0;
    for (std::uint32_t i = 0; i < n_rows; ++i) sum += weight_[i][rows] * bound_of_row(count_[i][rows], 1 - rows);
    return sum;
}

// The largest sum of w_j (c_j - a b_j / n)^2 over the columns. It is convex, so it is largest where all c_j but one are 0
// or b_j.
double SmoothedChi2::largest_row(double a, int columns) const {
    const std::uint32_t levels = columns == 0 ? slice_.n_rows : slice_.n_columns;
    const double p = a / n_;
    double best = 0;
    for (std::uint32_t full = 0; full < 1u << levels; ++full) {
        double rest = a, value = 0;
        for (std::uint32_t j = 0; j < levels; ++j) {
            const double b = count_[j][columns], taken = full >> j & 1 ? b : 0, d = taken - p * b;
            rest -= taken;
            value += weight_[j][columns] * d * d;
        }
        if (rest < 0) continue;
        for (std::uint32_t j = 0; j < levels; ++j) {
            const double b = count_[j][columns];
            if (!(full >> j & 1) && rest <= b)
                best = std::max(best, value + weight_[j][columns] * rest * (rest - 2 * p * b));
        }
    }
    return best;
}

// A bound of the same: each term is replaced by its chord from 0 to min(a, b_j), then the steepest are filled first.
double SmoothedChi2::bound_of_row(double a, int columns) const {
    const std::uint32_t levels = columns == 0 ? slice_.n_rows : slice_.n_columns;
    std::vector<std::pair<double, double>> chords(levels);
    for (std::uint32_t j = 0; j < levels; ++j) {
        const double b = count_[j][columns], most = std::min(a, b);
        chords[j] = {weight_[j][columns] * (most - 2 * a * b / n_), most};
    }
    std::sort(chords.begin(), chords.end(), std::greater<>());
    double sum = ag_[columns] * (a / n_) * (a / n_), rest = a;
    for (const auto& [slope, most] : chords) {
        const double c = std::min(rest, most);
        sum += slope * c;
        rest -= c;
    }
    return sum;
}

}  // namespace paucal
