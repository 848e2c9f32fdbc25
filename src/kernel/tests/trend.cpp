// The test `trend`: do two ordered columns rise together within strata?
//
// Levels get scores u, v: (rows below + half of their own)/N - 1/2, from the whole table. With both centred in a stratum,
// S = sum of n_ij u_i v_j, added up over the strata. When labels are permuted within strata, variance and fourth cumulant
// of S are known exactly, and S^2 / variance is compared with the gamma distribution of mean 1 and of its own variance.
//
// Scores are kept as whole numbers, 2 rows below + own rows - N, so that sums and variances are exact whatever the order in
// which cells and rows come.
#include "tests/trend.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/special.hpp"
#include "tests/options.hpp"

namespace paucal {
namespace {

__extension__ using Whole = __int128;

struct Margin {
    std::uint32_t level, rows;
};

// One stratum; levels that occur, ascending.
struct Stratum {
    std::uint64_t total = 0;
    std::vector<Margin> rows, columns;
    Whole products = 0;  // of the scores of x and y, over all samples
};

// From -N to N. With N below 2^32 no sum of squares times a number of samples exceeds N^4 / 3, which 128 bits hold.
std::vector<std::int64_t> scores(const std::vector<std::int64_t>& margin) {
    std::vector<std::int64_t> out;
    std::int64_t below = 0, total = 0;
    for (const std::int64_t own : margin) total += own;
    for (const std::int64_t own : margin) {
        out.push_back(2 * below + own - total);
        below += own;
    }
    return out;
}

class Strata {
public:
    explicit Strata(const Counts& counts) : counts_(counts) {
        std::vector<std::int64_t> x(counts.kx, 0), y(counts.ky, 0);
        if (counts.cells) {
            const std::uint32_t* n = counts.cells;
            for (std::size_t s = 0; s < counts.strata; ++s)
                for (std::uint32_t i = 0; i < counts.kx; ++i)
                    for (std::uint32_t j = 0; j < counts.ky; ++j, ++n) x[i] += *n, y[j] += *n;
        } else {
            for (std::size_t i = 0; i < counts.row_margin.size(); ++i) x[counts.row_state[i]] += counts.row_margin[i];
            for (std::size_t j = 0; j < counts.column_margin.size(); ++j)
                y[counts.column_state[j]] += counts.column_margin[j];
        }
        x_ = scores(x), y_ = scores(y);
    }

    const std::vector<std::int64_t>& x() const { return x_; }
    const std::vector<std::int64_t>& y() const { return y_; }

    // Calls f(stratum) for every one with samples.
    template <class F> void each(F&& f) {
        for (std::size_t s = 0; s < counts_.strata; ++s) {
            counts_.cells ? dense(s) : relabelled(s);
            if (stratum_.total > 0) f(stratum_);
        }
    }

private:
    void dense(std::size_t s) {
        const std::uint32_t kx = counts_.kx, ky = counts_.ky;
        const std::uint32_t* n = counts_.cells + s * kx * ky;
        stratum_.total = 0, stratum_.products = 0;
        stratum_.rows.clear(), stratum_.columns.clear();
        column_.assign(ky, 0);
        for (std::uint32_t i = 0; i < kx; ++i) {
            std::uint32_t rows = 0;
            Whole products = 0;
            for (std::uint32_t j = 0; j < ky; ++j, ++n) rows += *n, column_[j] += *n, products += Whole{*n} * y_[j];
            if (rows) stratum_.rows.push_back({i, rows});
            stratum_.products += products * x_[i];
            stratum_.total += rows;
        }
        for (std::uint32_t j = 0; j < ky; ++j)
            if (column_[j]) stratum_.columns.push_back({j, column_[j]});
    }

    void relabelled(std::size_t s) {
        const Counts& c = counts_;
        const auto margins = [s](const auto& begin, const auto& state, const auto& margin, std::vector<Margin>& out) {
            out.clear();
            for (std::uint32_t i = begin[s]; i < begin[s + 1]; ++i) out.push_back({state[i], margin[i]});
            std::sort(out.begin(), out.end(), [](const Margin& a, const Margin& b) { return a.level < b.level; });
        };
        margins(c.row_begin, c.row_state, c.row_margin, stratum_.rows);
        margins(c.column_begin, c.column_state, c.column_margin, stratum_.columns);
        stratum_.total = c.stratum_total[s], stratum_.products = 0;
        for (std::uint32_t i = c.cell_begin[s]; i < c.cell_begin[s + 1]; ++i)
            stratum_.products += Whole{c.count[i]} * x_[c.row_state[c.row_begin[s] + c.row[i]]] *
                                 y_[c.column_state[c.column_begin[s] + c.column[i]]];
    }

    const Counts& counts_;
    std::vector<std::int64_t> x_, y_;
    std::vector<std::uint32_t> column_;
    Stratum stratum_;
};

// Sums over one margin of the centred scores of a stratum, in units of 1 / (2 N).
struct Powers {
    Whole sum = 0;
    double second = 0, fourth = 0;
    std::vector<double> centred;  // by position in the margin

    Powers(const std::vector<Margin>& margin, const std::vector<std::int64_t>& score, std::uint64_t total) {
        Whole squares = 0;
        for (const auto& [level, rows] : margin) {
            sum += Whole{rows} * score[level];
            squares += Whole{rows} * score[level] * score[level];
        }
        const auto n = static_cast<double>(total);
        second = static_cast<double>(squares * total - sum * sum) / n;
        for (const auto& [level, rows] : margin) {
            const double away = static_cast<double>(Whole{score[level]} * total - sum) / n;
            centred.push_back(away);
            fourth += rows * (away * away * away * away);
        }
    }
};

// The fourth moment of the sum of products when the labels of n samples are permuted.
double fourth_moment(double n, double u2, double u4, double v2, double v4) {
    const double falling[] = {n, n * (n - 1), n * (n - 1) * (n - 2), n * (n - 1) * (n - 2) * (n - 3)};
    const double u22 = u2 * u2, v22 = v2 * v2;  // products of x and y stand alone: they are the same either way around
    const double terms[] = {u4 * v4, 4 * (u4 * v4) + 3 * ((u22 - u4) * (v22 - v4)),
                            6 * ((2 * u4 - u22) * (2 * v4 - v22)), 9 * ((u22 - 2 * u4) * (v22 - 2 * v4))};
    double sum = 0;
    for (int k = 0; k < 4; ++k)
        if (falling[k] > 0) sum += terms[k] / falling[k];
    return sum;
}

// The sum of products when the scores of x meet those of y in their order, or in the opposite one.
double extreme(const Stratum& stratum, const Powers& x, const Powers& y, bool together) {
    double sum = 0;
    std::size_t i = 0, j = 0;
    const std::size_t last = stratum.columns.size() - 1;
    std::uint32_t left_x = stratum.rows[0].rows, left_y = stratum.columns[together ? 0 : last].rows;
    while (true) {
        const std::uint32_t both = std::min(left_x, left_y);
        sum += both * (x.centred[i] * y.centred[together ? j : last - j]);
        left_x -= both, left_y -= both;
        if (left_x == 0) {
            if (++i == stratum.rows.size()) return sum;
            left_x = stratum.rows[i].rows;
        }
        if (left_y == 0) {
            if (++j == stratum.columns.size()) return sum;
            left_y = stratum.columns[together ? j : last - j].rows;
        }
    }
}

// Strata come in any order; their sum must not depend on it.
double ordered_sum(std::vector<double>& terms) {
    std::sort(terms.begin(), terms.end());
    double sum = 0;
    for (const double term : terms) sum += term;
    return sum;
}

}  // namespace

Trend::Trend(const Counts& counts) {
    Strata all(counts);
    std::vector<double> sums, variances, fourths, highest, lowest;
    all.each([&](const Stratum& stratum) {
        ++strata;
        if (stratum.rows.size() < 2 || stratum.columns.size() < 2) return;
        ++informative;
        const auto n = static_cast<double>(stratum.total);
        const Powers x(stratum.rows, all.x(), stratum.total), y(stratum.columns, all.y(), stratum.total);
        const double own = x.second * y.second / (n - 1);
        sums.push_back(static_cast<double>(stratum.products * stratum.total - x.sum * y.sum) / n);
        variances.push_back(own);
        fourths.push_back(fourth_moment(n, x.second, x.fourth, y.second, y.fourth) - 3 * own * own);
        highest.push_back(extreme(stratum, x, y, true));
        lowest.push_back(extreme(stratum, x, y, false));
    });
    const double unit = 1 / (4. * counts.total * counts.total);
    sum = unit * ordered_sum(sums);
    variance = unit * unit * ordered_sum(variances);
    fourth = unit * unit * unit * unit * ordered_sum(fourths);
    most = unit * std::max(ordered_sum(highest), -ordered_sum(lowest));
}

double Trend::p_value(double at) const {
    if (!(variance > 0)) return 1;
    const double shape = 1 / std::max(.2, 2 + fourth / (variance * variance));
    return gamma_q(shape, shape * at * at / variance);
}

Reading Trend::read() const {
    Reading out;
    out.strata = strata;
    out.informative = variance > 0 ? informative : 0;
    out.p_value = p_value(sum);
    if (out.informative == 0) return out;
    out.statistic = sum / std::sqrt(variance);
    out.direction = (sum > 0) - (sum < 0);
    return out;
}

namespace {

class TrendStatistic final : public Statistic {
public:
    TrendStatistic() : Statistic({.p_value = true, .reach = true}) {}
    Reading read(Counts& counts) const override { return Trend(counts).read(); }
    double dependence(Counts& counts) const override { return std::abs(Trend(counts).sum); }
    double smallest_p(Counts& counts) const override {
        const Trend trend(counts);
        return trend.p_value(trend.most);
    }
};

}  // namespace

SharedStatistic trend_statistic(Options&) { return std::make_shared<TrendStatistic>(); }

}  // namespace paucal
