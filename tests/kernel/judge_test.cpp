#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <thread>

#include "ask/tester.hpp"
#include "some_data.hpp"
#include "tests/statistic.hpp"

using namespace paucal;

namespace {

// Says what it is told to.
class Told final : public Statistic {
public:
    Told(Kind kind, Reading reading, double smallest) : Statistic(kind), reading_(reading), smallest_(smallest) {}
    Reading read(Counts&) const override { return reading_; }
    double smallest_p(Counts&) const override { return smallest_; }

private:
    Reading reading_;
    double smallest_;
};

Outcome judged(Kind kind, Reading reading, Criterion criterion, ThinRule thin = {}, bool act = false, double least = 0) {
    const auto columns = some_columns({2, 2}, 40);
    Tester tester(columns, std::make_shared<Told>(kind, reading, least), criterion, thin, act);
    const std::uint32_t cells[] = {10, 10, 10, 10};
    Counts counts;
    counts.total = 40, counts.kx = counts.ky = 2, counts.strata = 1, counts.cells = cells;
    return tester.judge(&counts, counts.total, 0);
}

Reading with_p(double p) {
    Reading reading;
    reading.p_value = p, reading.dof = 1, reading.strata = reading.informative = 1;
    return reading;
}

constexpr Kind kP{.dof = true, .p_value = true}, kReach{.p_value = true, .reach = true};

}  // namespace

TEST_CASE("a p-value up to the level is dependence") {
    CHECK(judged(kP, with_p(.05), Level(.05)).decision == Decision::dependent);
    CHECK(judged(kP, with_p(.05000000000000001), Level(.05)).decision == Decision::dependent);
    const Outcome above = judged(kP, with_p(.06), Level(.05));
    CHECK(above.decision == Decision::independent);
    CHECK(above.threshold == .05);
    CHECK(above.nearness == .06);
}

TEST_CASE("evidence and information have thresholds of their own") {
    Reading reading;
    reading.statistic = 1e-12, reading.strata = reading.informative = 1;
    CHECK(judged({}, reading, Evidence(0)).decision == Decision::independent);
    CHECK(judged({}, reading, Evidence(0, true)).decision == Decision::dependent);
    reading.statistic = .3;
    CHECK(judged({}, reading, Threshold::fixed(.3)).decision == Decision::dependent);
    CHECK(judged({}, reading, Threshold::fixed(.31)).decision == Decision::independent);
    reading.informative = 0;
    const Outcome silent = judged({}, reading, Threshold::fixed(.1));
    CHECK(silent.decision == Decision::independent);
    CHECK(silent.flags == kNoInformation);
}

TEST_CASE("thin tables follow their rule") {
    CHECK(judged(kP, with_p(.01), Level(.05), {Sparse::test, 10, false}).flags == 0);
    const Outcome told = judged(kP, with_p(.01), Level(.05), {Sparse::test, 11, false});
    CHECK(told.decision == Decision::dependent);
    CHECK(told.flags == kThin);
    CHECK(judged(kP, with_p(.01), Level(.05), {Sparse::independent, 11, false}).decision == Decision::independent);
    CHECK(judged(kP, with_p(.01), Level(.05), {Sparse::undecidable, 11, false}).decision == Decision::undecidable);
    CHECK(judged(kP, with_p(.01), Level(.05), {Sparse::undecidable, 41, true}).decision == Decision::undecidable);
}

TEST_CASE("a question without a chance is marked, or left open") {
    CHECK(judged(kReach, with_p(.2), Level(.05), {}, false, .06).flags == kPowerless);
    CHECK(judged(kReach, with_p(.2), Level(.05), {}, true, .06).decision == Decision::undecidable);
    CHECK(judged(kReach, with_p(.2), Level(.05), {}, true, .05000000000000001).decision == Decision::independent);
}

TEST_CASE("a statistic and its criterion fit") {
    CHECK_THROWS_AS(judged(kP, with_p(.2), Evidence(0)), std::invalid_argument);
    CHECK_THROWS_AS(judged({}, {}, Level(.05)), std::invalid_argument);
    CHECK_THROWS_AS(judged(kReach, with_p(.2), Level(.05), {Sparse::test, 5, true}), std::invalid_argument);
    CHECK_THROWS_AS(Level(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

TEST_CASE("several threads may ask one tester") {
    const auto columns = some_columns({2, 3, 2, 4, 2, 3}, 300);
    const auto asked = [&](Tester& tester) {
        double sum = 0;
        Tally tally;
        for (std::uint32_t x = 0; x < 6; ++x)
            for (std::uint32_t y = x + 1; y < 6; ++y)
                for (std::uint32_t z = 0; z < 6; ++z)
                    if (z != x && z != y) sum += tester.ask(x, y, Indices(&z, 1), tally).statistic;
        return sum;
    };
    Tester alone(columns, make_statistic("chi2-perm", {{"guard", false}}), Level(.05), {}, false);
    Tester shared(columns, alone.statistic(), Level(.05), {}, false);
    const double wanted = asked(alone);
    double got[4];
    std::vector<std::thread> threads;
    for (double& one : got) threads.emplace_back([&] { one = asked(shared); });
    for (std::thread& thread : threads) thread.join();
    for (const double one : got) CHECK(one == wanted);
}
