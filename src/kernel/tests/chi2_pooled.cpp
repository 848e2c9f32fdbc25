// The test `chi2-pooled`: chi2-perm, combined with a statistic that adds the strata up before it squares. If x and y depend
// on each other in the same way in every stratum, small deviations that all point the same way show in the sum.
//
//   d_ij = sum over strata of (n_ij - a_i b_j / n),     T = sum_ij u_i v_j d_ij^2,
//   u_i = 1 / (A_i + beta), v_j likewise, A the margin of the whole table, beta = sqrt(N / 10)
//
// When labels are permuted within strata, T has a mean and a variance in closed form. With M = diag(a) - a a' / n of a
// stratum and U = diag(u), and likewise of y,
//   mean      sum over strata of tr(UM_x) tr(VM_y) / (n - 1)
//   variance  sum over strata of that of their own quadratic forms (Kazi-Aoual et al. 1995)
//             + 2 sum over pairs of different strata of tr(UM_x UM'_x) tr(VM_y VM'_y) / ((n - 1)(n' - 1))
// The p-value of T is that of the gamma distribution with both.
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/special.hpp"
#include "tests/cauchy.hpp"
#include "tests/cells.hpp"
#include "tests/options.hpp"
#include "tests/statistic.hpp"

namespace paucal {
namespace {

// Beyond these sizes the pooled half is left out: it would take seconds, or much memory.
constexpr std::size_t kMostCells = 1 << 22;   // of the sum of strata
constexpr std::size_t kMostStrata = 1 << 13;  // where covariances of all pairs of cells do not fit into as many numbers

struct Level {
    std::uint32_t level;
    double rows;
};
using Margin = std::vector<Level>;

struct Stratum {
    double n = 0;
    Margin x, y;
    std::vector<Cell> cells;
};

Margin margin_of(const std::vector<Cell>& cells, std::uint32_t Cell::*level) {
    std::vector<Level> each;
    for (const Cell& cell : cells) each.push_back({cell.*level, static_cast<double>(cell.count)});
    std::sort(each.begin(), each.end(), [](const Level& a, const Level& b) { return a.level < b.level; });
    Margin out;
    for (const Level& one : each)
        if (!out.empty() && out.back().level == one.level)
            out.back().rows += one.rows;
        else
            out.push_back(one);
    return out;
}

// Traces of UM, of its square, and the sum of squares on the diagonal of the matrix over rows that it comes from.
struct Traces {
    double first = 0, second = 0, diagonal = 0;

    Traces(const Margin& margin, double n, const std::vector<double>& weight) {
        double weighted = 0;
        for (const auto& [level, a] : margin) {
            const double w = weight[level];
            first += w * a * (1 - a / n);
            second += w * w * a * a * (1 - 2 * a / n);
            weighted += w * a * a;
        }
        second += weighted * weighted / (n * n);
        for (const auto& [level, a] : margin) {
            const double own = weight[level] * (1 - 2 * a / n) + weighted / (n * n);
            diagonal += a * own * own;
        }
    }
};

double own_variance(double n, const Traces& x, const Traces& y) {
    const auto spread = [n](const Traces& t) { return (n - 1) * t.second - t.first * t.first; };
    const auto peaks = [n](const Traces& t) {
        return n * (n + 1) * t.diagonal - (n - 1) * (t.first * t.first + 2 * t.second);
    };
    double out = 0;
    if (n > 2) out += 2 * spread(x) * spread(y) / ((n - 1) * (n - 1) * (n + 1) * (n - 2));
    if (n > 3) out += peaks(x) * peaks(y) / ((n + 1) * n * (n - 1) * (n - 2) * (n - 3));
    return out;
}

// tr(UM UM') of two strata.
double shared_trace(const Margin& one, double n, const Margin& other, double m, const std::vector<double>& weight) {
    double diagonal = 0, product = 0;
    for (auto a = one.begin(), b = other.begin(); a != one.end() && b != other.end();) {
        if (a->level < b->level) {
            ++a;
        } else if (b->level < a->level) {
            ++b;
        } else {
            const double w = weight[a->level], both = a->rows * b->rows;
            diagonal += w * w * both * (1 - a->rows / n - b->rows / m);
            product += w * both;
            ++a, ++b;
        }
    }
    return diagonal + product * product / (n * m);
}

struct Pooled {
    double statistic = 0, mean = 0, variance = 0;
    double most = 0;  // no table with these margins has a larger statistic
    std::size_t informative = 0;

    explicit Pooled(const Counts& counts) : kx_(counts.kx), ky_(counts.ky) {
        if (counts.strata < 2 || kx_ == 0 || ky_ > kMostCells / kx_) return;
        std::vector<double> x(kx_, 0), y(ky_, 0);
        std::vector<std::vector<Cell>> tables(counts.strata);
        each_cell(counts, [&](std::size_t s, const Cell& cell) {
            tables[s].push_back(cell);
            x[cell.row] += cell.count, y[cell.column] += cell.count;
        });
        for (auto& cells : tables) std::sort(cells.begin(), cells.end());
        std::sort(tables.begin(), tables.end());  // strata come in any order, and sums must not depend on it
        for (auto& cells : tables) {
            Stratum one{0, margin_of(cells, &Cell::row), margin_of(cells, &Cell::column), std::move(cells)};
            if (one.x.size() < 2 || one.y.size() < 2) continue;
            for (const Level& level : one.x) one.n += level.rows;
            strata_.push_back(std::move(one));
        }
        informative = strata_.size();
        if (informative < 2 || (pairs_of_cells() > kMostCells && informative > kMostStrata)) {
            informative = 0;
            return;
        }
        const double beta = std::sqrt(counts.total / 10.);
        for (double& a : x) a = 1 / (a + beta);
        for (double& b : y) b = 1 / (b + beta);
        add_deviations(x, y);
        double own_pairs = 0;
        for (const Stratum& s : strata_) {
            const Traces tx(s.x, s.n, x), ty(s.y, s.n, y);
            mean += tx.first * ty.first / (s.n - 1);
            variance += own_variance(s.n, tx, ty);
            own_pairs += tx.second * ty.second / ((s.n - 1) * (s.n - 1));
        }
        variance += pairs_of_cells() <= kMostCells ? 2 * (all_pairs(x, y) - own_pairs) : 2 * different_pairs(x, y);
        if (!(variance > 1e-12 * mean * mean)) informative = 0;  // nothing but rounding: every table has the same statistic
    }

    double p_value(double at) const {
        const double shape = mean * mean / variance;
        return gamma_q(shape, shape * at / mean);
    }

private:
    double pairs_of_cells() const {
        const double cells = static_cast<double>(kx_) * ky_;
        return cells * cells;
    }

    void add_deviations(const std::vector<double>& u, const std::vector<double>& v) {
        std::vector<double> sum(kx_ * ky_, 0), largest(kx_ * ky_, 0);
        for (const Stratum& s : strata_) {
            for (const auto& [i, a] : s.x)
                for (const auto& [j, b] : s.y) {
                    const double expected = a * b / s.n;
                    sum[i * ky_ + j] -= expected;
                    largest[i * ky_ + j] +=
                        std::max(std::min(a, b) - expected, expected - std::max(0., a + b - s.n));
                }
            for (const Cell& cell : s.cells) sum[cell.row * ky_ + cell.column] += cell.count;
        }
        for (std::size_t i = 0; i < kx_; ++i)
            for (std::size_t j = 0; j < ky_; ++j) {
                const double w = u[i] * v[j], d = sum[i * ky_ + j], far = largest[i * ky_ + j];
                statistic += w * d * d, most += w * far * far;
            }
    }

    // The sum over all pairs of strata, a stratum with itself included: the squared covariances of all pairs of cells.
    double all_pairs(const std::vector<double>& u, const std::vector<double>& v) const {
        const std::size_t square = ky_ * ky_;
        std::vector<double> covariance(kx_ * kx_ * square, 0);
        for (const Stratum& s : strata_)
            for (const auto& [i, a] : s.x)
                for (const auto& [k, c] : s.x) {
                    const double of_x = ((i == k ? a : 0) - a * c / s.n) / (s.n - 1);
                    double* const part = covariance.data() + (i * kx_ + k) * square;
                    for (const auto& [j, b] : s.y)
                        for (const auto& [l, e] : s.y) part[j * ky_ + l] += of_x * ((j == l ? b : 0) - b * e / s.n);
                }
        double out = 0;
        const double* at = covariance.data();
        for (std::size_t i = 0; i < kx_; ++i)
            for (std::size_t k = 0; k < kx_; ++k)
                for (std::size_t j = 0; j < ky_; ++j)
                    for (std::size_t l = 0; l < ky_; ++l, ++at) out += u[i] * u[k] * (v[j] * v[l]) * *at * *at;
        return out;
    }

    double different_pairs(const std::vector<double>& u, const std::vector<double>& v) const {
        double out = 0;
        for (auto s = strata_.begin(); s != strata_.end(); ++s)
            for (auto t = strata_.begin(); t != s; ++t)
                out += 2 * shared_trace(s->x, s->n, t->x, t->n, u) * shared_trace(s->y, s->n, t->y, t->n, v) /
                       ((s->n - 1) * (t->n - 1));
        return out;
    }

    std::size_t kx_, ky_;
    std::vector<Stratum> strata_;
};

class Chi2Pooled final : public Statistic {
public:
    explicit Chi2Pooled(bool guard)
        : Statistic({.p_value = true, .reach = true}), table_(make_statistic("chi2-perm", {{"guard", guard}})) {}

    Reading read(Counts& counts) const override {
        const Reading table = table_->read(counts);
        const Pooled pooled(counts);
        Reading out = table;
        if (pooled.informative == 0) {  // as with one stratum: the table alone counts
            out.statistic = cauchy_tangent(table.p_value);
            return out;
        }
        const double p = pooled.p_value(pooled.statistic);
        out.informative = std::max(out.informative, static_cast<std::uint32_t>(pooled.informative));
        out.statistic = cauchy_mean(table.informative ? table.p_value : p, p);
        out.p_value = cauchy_p(out.statistic);
        return out;
    }

    double smallest_p(Counts& counts) const override {
        const double table = table_->smallest_p(counts);
        const Pooled pooled(counts);
        if (pooled.informative == 0) return table;
        const double p = pooled.p_value(pooled.most);
        return cauchy_p(cauchy_mean(table_->read(counts).informative ? table : p, p));
    }

private:
    SharedStatistic table_;
};

}  // namespace

SharedStatistic chi2_pooled_statistic(Options& options) { return std::make_shared<Chi2Pooled>(options.flag("guard")); }

}  // namespace paucal
