#include <doctest/doctest.h>

#include <cmath>

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
