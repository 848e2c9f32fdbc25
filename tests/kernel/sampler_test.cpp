#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#include "graphs/sampler.hpp"
#include "some_data.hpp"

using namespace paucal;

namespace {

constexpr std::size_t kNodes = 5;
const std::vector<std::uint8_t> all(kNodes * kNodes, 1), none(kNodes * kNodes, 0);

std::shared_ptr<SharedScorer> some_scorer() {
    const auto columns = some_columns({2, 3, 2, 4, 2}, 200);
    return std::make_shared<SharedScorer>(columns, std::vector<double>{2, 3, 2, 4, 2}, dirichlet_score(200, {1.}));
}

DagSampler some_sampler() {
    const auto scorer = some_scorer();
    SharedOrderSearch search(scorer, arc_rules(kNodes, all, none, .5), 4, 10);
    return DagSampler(scorer, arc_rules(kNodes, all, none, .5), {}, search.climb(1, 0, 2), {{}}, search.groups(),
                      {4, 4, {1, .5}, 3, 7});
}

}  // namespace

TEST_CASE("threads change nothing but the time") {
    DagSampler one = some_sampler(), four = some_sampler();
    one.run(30, true, 1);
    four.run(30, true, 4);
    for (std::size_t chain = 0; chain < 3; ++chain) {
        CHECK(one.tallies(chain).dags == four.tallies(chain).dags);
        CHECK(one.tallies(chain).arrow == four.tallies(chain).arrow);
    }
    CHECK(one.best().first == four.best().first);
}

TEST_CASE("a sampler may be read while it runs") {
    DagSampler sampler = some_sampler();
    std::thread running([&] { sampler.run(40, true, 2); });
    const std::size_t seen = sampler.tallies(0).dags.size();
    running.join();
    CHECK(seen % 80 == 0);
    CHECK(sampler.dags(0).size() == 80);
}

TEST_CASE("rules and starts that make no sense are refused") {
    std::vector<std::uint8_t> cycle(none);
    cycle[0 * kNodes + 1] = cycle[1 * kNodes + 0] = 1;
    CHECK_THROWS_AS(arc_rules(kNodes, all, cycle, 0), std::invalid_argument);
    CHECK_THROWS_AS(arc_rules(kNodes, std::span(all).first(4), none, 0), std::invalid_argument);
    CHECK_THROWS_AS(dag_of(cycle, kNodes), std::invalid_argument);
    const std::vector<Index> order = {0, 1, 2, 3, 3};
    CHECK_THROWS_AS(found_dag(order, none, arc_rules(kNodes, all, none, 0)), std::invalid_argument);
    CHECK_THROWS_AS(some_scorer()->local(0, {0}), std::invalid_argument);
    CHECK_THROWS_AS(some_scorer()->local(0, {9}), std::out_of_range);
    CHECK_THROWS_AS(some_sampler().run(1, true, 0), std::invalid_argument);
    CHECK_THROWS_AS(some_sampler().tallies(3), std::out_of_range);
}
