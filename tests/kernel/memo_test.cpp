#include <doctest/doctest.h>

#include "ask/memo.hpp"

using namespace paucal;

TEST_CASE("what was answered is found again, and nothing else is") {
    Memo memo(50);
    const auto key = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) { return key_of({x, y, &z, 1}); };
    for (std::uint32_t x = 0; x < 20; ++x)
        for (std::uint32_t y = x + 1; y < 20; ++y)
            for (std::uint32_t z = 20; z < 40; ++z) {
                Outcome outcome;
                outcome.statistic = x + 100. * y + 10000. * z;
                REQUIRE(memo.find(key(x, y, z)) == nullptr);
                memo.insert(key(x, y, z), outcome);
            }
    const Outcome* known = memo.find(key(3, 17, 31));
    REQUIRE(known != nullptr);
    CHECK(known->statistic == 3 + 1700. + 310000);
    CHECK(memo.find(key(3, 17, 41)) == nullptr);
}

TEST_CASE("pairs are asked once") {
    Memo memo(50);
    CHECK(!memo.was_asked({3, 49, nullptr, 0}));
    memo.set_asked({3, 49, nullptr, 0});
    CHECK(memo.was_asked({3, 49, nullptr, 0}));
    CHECK(!memo.was_asked({3, 48, nullptr, 0}));
    CHECK(!memo.was_asked({48, 49, nullptr, 0}));
}
