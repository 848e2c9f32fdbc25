// The likelihood-ratio (G) and Pearson chi-square statistics with their degrees of freedom.
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/special.hpp"
#include "tests/statistic.hpp"

namespace paucal {
namespace {

struct Sum {
    double value = 0, adjusted_dof = 0;
    std::uint32_t strata = 0;
};

class Classical : public Statistic {
public:
    Classical(Levels alpha, DofRule rule) : alpha_(std::move(alpha)), rule_(rule) {}

    void evaluate(Counts& counts, Outcome& out) const override {
        const Sum sum = add_up(counts);
        const double per_stratum = (counts.kx - 1.) * (counts.ky - 1.);
        out.statistic = std::max(0., sum.value);
        out.strata = sum.strata;
        out.dof = rule_ == DofRule::full       ? per_stratum * counts.configurations
                  : rule_ == DofRule::nonempty ? per_stratum * sum.strata
                                               : sum.adjusted_dof;
        if (sum.adjusted_dof == 0) out.flags |= kNoInformation;
        conclude(out, chi2_sf(out.statistic, out.dof));
    }

    void neutral(Outcome& out) const override {
        out.statistic = out.dof = 0;
        conclude(out, 1);
    }

    double dependence(Counts& counts) const override { return add_up(counts).value; }

protected:
    virtual Sum add_up(Counts& counts) const = 0;

private:
    void conclude(Outcome& out, double p) const {
        out.p_value = out.nearness = p;
        out.threshold = alpha_.at(out.order);
        out.decision = p > out.threshold ? Decision::independent : Decision::dependent;
    }

    Levels alpha_;
    DofRule rule_;
};

// Small samples: G is a sum of n ln n, which a table answers. Large samples: the sums of n ln n cancel to fewer
// and fewer digits, so each cell's deviance from its expectation is added instead; all of these are positive.
class G final : public Classical {
public:
    G(Levels alpha, DofRule rule, std::size_t rows) : Classical(std::move(alpha), rule) {
        if (rows > kTableRows) return;
        n_log_n_.resize(rows + 1);
        for (std::size_t n = 2; n <= rows; ++n) {
            const auto value = static_cast<double>(n);
            n_log_n_[n] = value * std::log(value);
        }
    }

protected:
    Sum add_up(Counts& counts) const override {
        if (n_log_n_.empty()) return by_deviance(counts);
        if (!counts.cells) return by_slices(counts);
        return with_shape(counts.kx, counts.ky, [&]<int KX, int KY>() {
            if constexpr (KX == 0)
                return by_slices(counts);
            else
                return by_table<KX, KY>(counts);
        });
    }

private:
    template <int KX, int KY> Sum by_table(const Counts& counts) const {
        constexpr std::size_t kBlock = 64;
        const std::uint32_t* used[kBlock];  // strata with rows, found without a branch: if many, most are empty
        Sum sum;
        for (std::size_t start = 0; start < counts.strata; start += kBlock) {
            const std::uint32_t* n = counts.cells + start * KX * KY;
            const std::uint32_t* end = n + std::min(kBlock, counts.strata - start) * KX * KY;
            std::size_t n_used = 0;
            for (; n != end; n += KX * KY) {
                std::uint32_t total = 0;
                for (int c = 0; c < KX * KY; ++c) total += n[c];
                used[n_used] = n;
                n_used += total > 0;
            }
            for (std::size_t s = 0; s < n_used; ++s) add_table<KX, KY>(used[s], sum);
            sum.strata += static_cast<std::uint32_t>(n_used);
        }
        sum.value *= 2;
        return sum;
    }

    template <int KX, int KY> void add_table(const std::uint32_t* n, Sum& sum) const {
        const double* t = n_log_n_.data();
        std::uint32_t rows[KX] = {}, columns[KY] = {}, total = 0;
        for (int i = 0; i < KX; ++i)
            for (int j = 0; j < KY; ++j) {
                rows[i] += n[i * KY + j];
                columns[j] += n[i * KY + j];
            }
        for (int i = 0; i < KX; ++i) total += rows[i];
        int used_rows = -1, used_columns = -1;
        double cells = t[total], row_part = 0, column_part = 0;  // three sums that do not wait for each other
        for (int c = 0; c < KX * KY; ++c) cells += t[n[c]];
        for (int i = 0; i < KX; ++i) row_part += t[rows[i]], used_rows += rows[i] > 0;
        for (int j = 0; j < KY; ++j) column_part += t[columns[j]], used_columns += columns[j] > 0;
        sum.value += cells - (row_part + column_part);
        sum.adjusted_dof += used_rows * used_columns;
    }

    Sum by_slices(Counts& counts) const {
        Sum sum;
        const double* t = n_log_n_.data();
        counts.each_slice([&](const Slice& slice) {
            double value = t[slice.total];
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) value += t[slice.count[c]];
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) value -= t[slice.row_margin[i]];
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) value -= t[slice.column_margin[j]];
            sum.value += 2 * value;
            sum.adjusted_dof += (slice.n_rows - 1.) * (slice.n_columns - 1.);
            ++sum.strata;
        });
        return sum;
    }

    Sum by_deviance(Counts& counts) const {
        Sum sum;
        counts.each_slice([&](const Slice& slice) {
            const double total = slice.total;
            double value = 0, expected_elsewhere = total;  // an empty cell deviates by its whole expectation
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) {
                const double e = static_cast<double>(slice.row_margin[slice.row[c]]) *
                                 slice.column_margin[slice.column[c]] / total;
                value += deviance(slice.count[c], e);
                expected_elsewhere -= e;
            }
            if (slice.n_cells < std::uint64_t{slice.n_rows} * slice.n_columns) value += expected_elsewhere;
            sum.value += 2 * value;
            sum.adjusted_dof += (slice.n_rows - 1.) * (slice.n_columns - 1.);
            ++sum.strata;
        });
        return sum;
    }

    std::vector<double> n_log_n_;
};

class Chi2 final : public Classical {
public:
    using Classical::Classical;

protected:
    Sum add_up(Counts& counts) const override {
        Sum sum;
        counts.each_slice([&](const Slice& slice) {
            const double total = slice.total;
            double value = 0, expected_elsewhere = total;
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) {
                const double e = static_cast<double>(slice.row_margin[slice.row[c]]) *
                                 slice.column_margin[slice.column[c]] / total;
                const double d = slice.count[c] - e;
                value += d * d / e;
                expected_elsewhere -= e;
            }
            if (slice.n_cells < std::uint64_t{slice.n_rows} * slice.n_columns) value += expected_elsewhere;
            sum.value += value;
            sum.adjusted_dof += (slice.n_rows - 1.) * (slice.n_columns - 1.);
            ++sum.strata;
        });
        return sum;
    }
};

}  // namespace

std::unique_ptr<Statistic> g_statistic(Levels alpha, DofRule rule, std::size_t rows) {
    return std::make_unique<G>(std::move(alpha), rule, rows);
}

std::unique_ptr<Statistic> chi2_statistic(Levels alpha, DofRule rule) {
    return std::make_unique<Chi2>(std::move(alpha), rule);
}

}  // namespace paucal
