#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "isa/isa.hpp"
#include "math/special.hpp"

using namespace paucal;

TEST_CASE("the gamma function and its relatives, by 17 digits of mpmath") {
    const auto same = [](double got, double wanted) { return std::fabs(got - wanted) <= 2e-15 * std::fabs(wanted); };
    CHECK(same(log_gamma(1e-9), 20.7232658363691954));
    CHECK(same(log_gamma(1.0000001), -5.7721558299185071e-8));
    CHECK(same(log_gamma(7.25), 7.05218545073853944));
    CHECK(same(log_gamma(1e6), 12815504.569147611));
    CHECK(same(digamma(.5), -1.9635100260214235));
    CHECK(same(trigamma(3.5), .33035775610023486));
    CHECK(same(polygamma(3, 2.), .49393940226682912));
    CHECK(same(chi2_isf(.05, 1), 3.8414588206941260));
    CHECK(same(chi2_sf(3.8414588206941260, 1), .05));
    CHECK(std::isnan(log_gamma(-1)));
}

TEST_CASE("what rounding alone keeps above a level reaches it") {
    CHECK(reaches(.05000000000000001, .05));
    CHECK(!reaches(.0500001, .05));
}

TEST_CASE("deviances of many cells are those of each, to the last bit, on every instruction set") {
    std::vector<double> n, row, column, total;
    for (const double cell : {1., 2., 7., 40., 333., 5000., 40000.})
        for (const double off : {.3, .7, .81, .83, .9, .99, .9999999, 1., 1.0000001, 1.01, 1.1, 1.21, 1.23, 1.5, 9., 1e4}) {
            n.push_back(cell), row.push_back(cell * 9), column.push_back(std::ceil(cell * off * 17)), total.push_back(153);
        }
    REQUIRE(n.size() % 4 == 0);
    std::size_t wanted_far = 0;
    for (std::size_t i = 0; i < n.size(); ++i) {
        const double mean = row[i] * column[i] / total[i];
        wanted_far += std::fabs(n[i] - mean) > kNear * (n[i] + mean);
    }
    for (const char* isa : {"portable", "v2", "v3", "v4"}) {
        if (!use_isa(isa)) continue;
        CAPTURE(isa);
        std::vector<double> mean(n.size()), part(n.size());
        std::vector<std::uint32_t> far(n.size());
        far.resize(hot().sums.deviances(n.data(), row.data(), column.data(), total.data(), n.size(), mean.data(),
                                        part.data(), far.data()));
        CHECK(far.size() == wanted_far);
        CHECK(far.size() < n.size());
        for (const std::uint32_t i : far) part[i] = n[i] * std::log(n[i] / mean[i]) - (n[i] - mean[i]);
        for (std::size_t i = 0; i < n.size(); ++i) {
            CHECK(mean[i] == row[i] * column[i] / total[i]);
            CHECK(part[i] == deviance(n[i], mean[i]));
        }
    }
    use_isa("best");
}
