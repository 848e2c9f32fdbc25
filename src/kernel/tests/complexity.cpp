// Stochastic complexity (Marx and Vreeken 2019): what x costs given z, against what it costs given z and y.
//
// A sample of n values of k levels costs n H + ln C(n, k) nats by factorised normalised maximum likelihood: its entropy,
// and the regret of a multinomial. The entropies of the two descriptions differ by G / 2, whichever of x and y is
// described; the regrets do not.
#include <algorithm>
#include <map>
#include <mutex>

#include "math/count_table.hpp"
#include "tests/statistic.hpp"

namespace paucal {
namespace {

// ln C(n, k) by n, for one k.
class Regret {
public:
    explicit Regret(std::uint32_t levels) : levels_(levels), table_([this](std::uint32_t n) { return computed(n); }) {}
    double operator()(std::uint32_t n) const {
        return table_.at(n, [this](std::uint32_t m) { return computed(m); });
    }

private:
    double computed(std::uint32_t n) const { return log_multinomial_regret(n, levels_); }

    std::uint32_t levels_;
    CountTable table_;
};

class Complexity final : public Statistic {
public:
    Complexity() : Statistic({}) {}

    Reading read(Counts& counts) const override {
        Reading out = g_->read(counts);
        const Regret &of_x = regret(counts.kx), &of_y = regret(counts.ky);
        double x = 0, y = 0;  // what the regrets of x and of y grow by when the other is known
        counts.each_slice([&](const Slice& slice) {
            x -= of_x(slice.total), y -= of_y(slice.total);
            for (std::uint32_t j = 0; j < slice.n_columns; ++j) x += of_x(slice.column_margin[j]);
            for (std::uint32_t i = 0; i < slice.n_rows; ++i) y += of_y(slice.row_margin[i]);
        });
        out.statistic = std::min(x, y) - out.statistic / 2;
        out.dof = out.p_value = kNone;
        return out;
    }

    double dependence(Counts& counts) const override { return -read(counts).statistic; }

private:
    const Regret& regret(std::uint32_t levels) const {
        const std::lock_guard lock(making_);
        return regrets_.try_emplace(levels, levels).first->second;
    }

    SharedStatistic g_ = make_statistic("g", {{"df", "adjusted"}});
    mutable std::mutex making_;
    mutable std::map<std::uint32_t, Regret> regrets_;  // by number of levels
};

}  // namespace

SharedStatistic stochastic_complexity(Options&) { return std::make_shared<Complexity>(); }

}  // namespace paucal
