// The test `chi2-trend`: chi2-perm and trend combined, so that neither a trend nor anything else is missed; and `auto`,
// which takes it where both columns are ordered, and chi2-perm elsewhere.
#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/cauchy.hpp"
#include "tests/cells.hpp"
#include "tests/options.hpp"
#include "tests/statistic.hpp"
#include "tests/trend.hpp"

namespace paucal {
namespace {

constexpr std::uint32_t kMostLevels = 10;  // of an ordered column that is cross-tabulated; with more, in steps
constexpr std::size_t kSteps = 5;

// Levels of a column in steps of equal shares: per level its step. Of two cuts equally near to a share the lower counts.
std::vector<std::uint32_t> equal_shares(const std::vector<std::uint64_t>& margin, std::uint32_t& steps) {
    std::vector<double> below;  // samples below every observed level but the first
    std::vector<std::size_t> level;
    double total = 0;
    for (std::size_t i = 0; i < margin.size(); ++i) {
        if (!margin[i]) continue;
        if (total > 0) below.push_back(total), level.push_back(i);
        total += static_cast<double>(margin[i]);
    }
    std::vector<std::uint32_t> out(margin.size(), 0);
    steps = 1;
    if (below.empty()) return out;
    std::vector<std::size_t> cuts;
    for (std::size_t k = 1; k < kSteps; ++k) {
        const double target = total * static_cast<double>(k) / static_cast<double>(kSteps);
        auto right = static_cast<std::size_t>(std::lower_bound(below.begin(), below.end(), target) - below.begin());
        right = std::min(right, below.size() - 1);
        const std::size_t left = right > 0 ? right - 1 : 0;
        const std::size_t nearest = target - below[left] <= below[right] - target ? left : right;
        if (cuts.empty() || cuts.back() != level[nearest]) cuts.push_back(level[nearest]);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint32_t>(std::upper_bound(cuts.begin(), cuts.end(), i) - cuts.begin());
    steps = static_cast<std::uint32_t>(cuts.size() + 1);
    return out;
}

std::vector<std::uint32_t> as_they_are(std::uint32_t levels) {
    std::vector<std::uint32_t> out(levels);
    for (std::uint32_t i = 0; i < levels; ++i) out[i] = i;
    return out;
}

// Sorted, each cell once.
void put_together(std::vector<Cell>& cells) {
    std::sort(cells.begin(), cells.end());
    std::size_t used = 0;
    for (const Cell& cell : cells)
        if (used > 0 && cells[used - 1].row == cell.row && cells[used - 1].column == cell.column)
            cells[used - 1].count += cell.count;
        else
            cells[used++] = cell;
    cells.resize(used);
}

// Adds a stratum to relabelled counts.
void append(Counts& counts, const std::vector<Cell>& cells) {
    std::uint32_t total = 0;
    for (const Cell& cell : cells) total += cell.count;
    counts.stratum_total.push_back(total);
    const auto margin = [&](std::uint32_t Cell::*level, std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& rows,
                            std::vector<std::uint32_t>& state, std::vector<std::uint32_t>& number) {
        std::vector<std::uint32_t> known;
        for (const Cell& cell : cells) known.push_back(cell.*level);
        std::sort(known.begin(), known.end());
        known.erase(std::unique(known.begin(), known.end()), known.end());
        rows.resize(begin.back() + known.size(), 0);
        for (const Cell& cell : cells) {
            const auto at = static_cast<std::uint32_t>(std::lower_bound(known.begin(), known.end(), cell.*level) - known.begin());
            number.push_back(at);
            rows[begin.back() + at] += cell.count;
        }
        state.insert(state.end(), known.begin(), known.end());
        begin.push_back(static_cast<std::uint32_t>(rows.size()));
    };
    margin(&Cell::row, counts.row_begin, counts.row_margin, counts.row_state, counts.row);
    margin(&Cell::column, counts.column_begin, counts.column_margin, counts.column_state, counts.column);
    for (const Cell& cell : cells) counts.count.push_back(cell.count);
    counts.cell_begin.push_back(static_cast<std::uint32_t>(counts.count.size()));
}

// Counts with the levels of long ordered columns put together into steps.
Counts in_steps(const Counts& from, bool long_x, bool long_y) {
    std::vector<std::uint64_t> x(from.kx, 0), y(from.ky, 0);
    each_cell(from, [&](std::size_t, const Cell& cell) { x[cell.row] += cell.count, y[cell.column] += cell.count; });
    Counts out;
    out.total = from.total, out.order = from.order, out.configurations = from.configurations;
    out.kx = from.kx, out.ky = from.ky;
    const auto row = long_x ? equal_shares(x, out.kx) : as_they_are(from.kx);
    const auto column = long_y ? equal_shares(y, out.ky) : as_they_are(from.ky);
    std::vector<std::vector<Cell>> strata(from.strata);
    each_cell(from, [&](std::size_t s, const Cell& cell) {
        strata[s].push_back({row[cell.row], column[cell.column], cell.count});
    });
    for (auto& cells : strata) put_together(cells);
    std::sort(strata.begin(), strata.end());  // they were met in the order of rows, which must not matter
    out.row_begin = out.column_begin = out.cell_begin = {0};
    for (const auto& cells : strata)
        if (!cells.empty()) append(out, cells);
    out.strata = out.stratum_total.size();
    return out;
}

class Chi2Trend final : public Statistic {
public:
    // `anywhere`: of columns without an order the table alone counts; otherwise all levels stand in their order.
    Chi2Trend(bool anywhere, bool guard)
        : Statistic({.p_value = true, .reach = true}), anywhere_(anywhere),
          table_(make_statistic("chi2-perm", {{"guard", guard}})) {}

    Reading read(Counts& counts) const override {
        const Reading table = with_table(counts, [&](Counts& c) { return table_->read(c); });
        if (!ordered(counts)) return table;
        const Reading trend = Trend(counts).read();
        if (trend.informative == 0) return table;
        Reading out = trend;
        out.statistic = cauchy_mean(table.informative ? table.p_value : trend.p_value, trend.p_value);
        out.p_value = cauchy_p(out.statistic);
        return out;
    }

    double dependence(Counts& counts) const override {
        return ordered(counts) ? read(counts).statistic : with_table(counts, [&](Counts& c) { return table_->dependence(c); });
    }

    double smallest_p(Counts& counts) const override {
        const double table = with_table(counts, [&](Counts& c) { return table_->smallest_p(c); });
        if (!ordered(counts)) return table;
        const Trend trend(counts);
        if (!(trend.variance > 0)) return table;
        const double p = trend.p_value(trend.most);
        const bool tabulated = with_table(counts, [&](Counts& c) { return table_->read(c).informative > 0; });
        return cauchy_p(cauchy_mean(tabulated ? table : p, p));
    }

    bool can_reach(Counts& counts, const Reading& reading, double level) const override {
        if (ordered(counts)) return reaches(smallest_p(counts), level);
        return with_table(counts, [&](Counts& c) { return table_->can_reach(c, reading, level); });
    }

private:
    bool ordered(const Counts& counts) const { return !anywhere_ || (counts.ordinal_x && counts.ordinal_y); }

    template <class F> auto with_table(Counts& counts, F&& f) const -> decltype(f(counts)) {
        const bool long_x = counts.kx > kMostLevels && (!anywhere_ || counts.ordinal_x);
        const bool long_y = counts.ky > kMostLevels && (!anywhere_ || counts.ordinal_y);
        if (!long_x && !long_y) return f(counts);
        Counts steps = in_steps(counts, long_x, long_y);
        return f(steps);
    }

    bool anywhere_;
    SharedStatistic table_;
};

}  // namespace

SharedStatistic chi2_trend_statistic(Options& options) {
    return std::make_shared<Chi2Trend>(false, options.flag("guard"));
}
SharedStatistic auto_statistic(Options& options) { return std::make_shared<Chi2Trend>(true, options.flag("guard")); }

}  // namespace paucal
