// The likelihood-ratio (G) and Pearson chi-square statistics with their degrees of freedom.
#include <algorithm>
#include <cmath>
#include <vector>

#include "math/special.hpp"
#include "tests/degrees_of_freedom.hpp"

namespace paucal {
namespace {

struct Sum {
    double value = 0, adjusted_dof = 0;
    std::uint32_t strata = 0, informative = 0;

    void add_stratum(double part, double dof) {
        value += part, adjusted_dof += dof;
        ++strata, informative += dof > 0;
    }
};

// `Which` of the two gives the sum, by a call that can be made part of `read`.
template <class Which> class Classical : public Statistic {
public:
    explicit Classical(DofRule rule) : Statistic({.dof = true, .p_value = true}), rule_(rule) {}

    Reading read(Counts& counts) const override {
        const Sum sum = which().add_up(counts);
        Reading out;
        out.statistic = std::max(0., sum.value);
        out.strata = sum.strata;
        out.informative = sum.informative;
        out.dof = degrees_of_freedom(rule_, counts, sum.strata, sum.adjusted_dof);
        out.p_value = chi2_sf(out.statistic, out.dof);
        return out;
    }

    double dependence(Counts& counts) const override { return which().add_up(counts).value; }

private:
    const Which& which() const { return static_cast<const Which&>(*this); }

    DofRule rule_;
};

// Small samples: G is a sum of n ln n, which a table answers. Large samples: the sums of n ln n cancel to fewer
// and fewer digits, so each cell's deviance from its expectation is added instead; all of these are positive.
const double* n_log_n() {
    static const std::vector<double> table = [] {
        std::vector<double> values(kTableRows + 1);
        for (std::size_t n = 2; n < values.size(); ++n) {
            const auto value = static_cast<double>(n);
            values[n] = value * std::log(value);
        }
        return values;
    }();
    return table.data();
}

class G final : public Classical<G> {
public:
    using Classical::Classical;

    Sum add_up(Counts& counts) const {
        if (counts.total > kTableRows) return by_deviance(counts);
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
        const double* t = table_;
        if (counts.strata == 1) {  // of a pair given nothing, which has rows
            add_table<KX, KY>(t, counts.cells, sum);
            sum.strata = 1;
            sum.value *= 2;
            return sum;
        }
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
            for (std::size_t s = 0; s < n_used; ++s) add_table<KX, KY>(t, used[s], sum);
            sum.strata += static_cast<std::uint32_t>(n_used);
        }
        sum.value *= 2;
        return sum;
    }

    template <int KX, int KY> static void add_table(const double* t, const std::uint32_t* n, Sum& sum) {
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
        const int dof = used_rows * used_columns;
        sum.adjusted_dof += dof, sum.informative += dof > 0;
    }

    Sum by_slices(Counts& counts) const {
        Sum sum;
        const double* t = table_;
        counts.each_slice([&](const Slice& slice) {
            double value = t[slice.total];
            for (std::uint32_t c = 0; c < slice.n_cells; ++c) value += t[slice.count[c]];
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) value -= t[slice.row_margin[i]];
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) value -= t[slice.column_margin[j]];
            sum.add_stratum(2 * value, (slice.n_rows - 1.) * (slice.n_columns - 1.));
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
            sum.add_stratum(2 * value, (slice.n_rows - 1.) * (slice.n_columns - 1.));
        });
        return sum;
    }

    const double* table_ = n_log_n();
};

class Chi2 final : public Classical<Chi2> {
public:
    using Classical::Classical;

    Sum add_up(Counts& counts) const {
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
            sum.add_stratum(value, (slice.n_rows - 1.) * (slice.n_columns - 1.));
        });
        return sum;
    }
};

}  // namespace

SharedStatistic g_statistic(Options& options) { return std::make_shared<G>(dof_rule(options)); }
SharedStatistic chi2_statistic(Options& options) { return std::make_shared<Chi2>(dof_rule(options)); }

}  // namespace paucal
