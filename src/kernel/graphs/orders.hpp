// The best DAG by a search over orders: given an order, every node takes its best parents among those before it, found
// by growing and shrinking; nodes are moved within the order until no move helps.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "math/random.hpp"
#include "watch.hpp"
#include "graphs/scores.hpp"

namespace paucal {

// Which arcs a graph may and must have, and what an arc costs. The matrices are [parent * n + child].
struct ArcRules {
    std::size_t n = 0;
    std::vector<std::uint8_t> allowed, required;  // an arc is required, or allowed, or neither
    double penalty = 0;                           // taken off the score for every parent

    bool may(std::uint32_t parent, std::uint32_t child) const { return allowed[parent * n + child]; }
    bool must(std::uint32_t parent, std::uint32_t child) const { return required[parent * n + child]; }
};

using Parents = std::vector<std::vector<std::uint32_t>>;  // of every node, ascending
using ParentGroups = std::vector<std::vector<std::uint32_t>>;  // of one node: parents that may help only together

// Local scores with the penalty in them.
class PenalisedScores {
public:
    PenalisedScores(Scorer& scorer, const ArcRules& rules) : scorer_(scorer), rules_(rules) {}
    double operator()(std::uint32_t child, const std::vector<std::uint32_t>& parents) {
        return scorer_.local(child, parents.data(), static_cast<int>(parents.size())) -
               rules_.penalty * static_cast<double>(parents.size());
    }
    const ArcRules& rules() const { return rules_; }

private:
    Scorer& scorer_;
    const ArcRules& rules_;
};

// The parents that growing and shrinking finds for one child, for any set of nodes to choose from. Steps are kept in a
// tree (after Andrews et al. 2023): from a set of parents, the additions that help, best first, whoever is available. An
// addition is one node, or one of the groups.
class GrowShrink {
public:
    GrowShrink(PenalisedScores& score, std::uint32_t child, ParentGroups groups, std::size_t most_parents,
               std::size_t most_candidates);

    struct Best {
        double score;
        const std::vector<std::uint32_t>* parents;  // ascending
    };
    Best among(const std::vector<std::uint64_t>& available);
    // Whether it may make a difference to what was found last, for some set of nodes, if v were among them or not.
    bool minds(std::uint32_t v) const { return (minded_[v / 64] >> (v % 64) & 1) != 0; }
    void add_group(std::vector<std::uint32_t> group);  // the tree is grown anew

private:
    struct Branch {
        double score;
        std::uint32_t addition;  // a node, or from n on a group
        std::uint32_t node;      // 0: not made yet
    };
    struct Node {
        std::vector<std::uint32_t> parents;
        double score;
        bool grown = false, shrunk = false;
        std::vector<Branch> branches;
        std::vector<std::uint32_t> best;
        double best_score = 0;
    };
    void grow(std::uint32_t node);
    void shrink(Node& node);
    bool available(std::uint32_t addition, const std::vector<std::uint64_t>& nodes) const {
        const auto is_in = [&](std::uint32_t v) { return (nodes[v / 64] >> (v % 64) & 1) != 0; };
        const std::size_t n = score_.rules().n;
        if (addition < n) return is_in(addition);
        const std::vector<std::uint32_t>& group = groups_[addition - n];
        return std::all_of(group.begin(), group.end(), is_in);
    }
    std::vector<std::uint32_t> with(const std::vector<std::uint32_t>& parents, std::uint32_t addition) const;

    PenalisedScores& score_;
    std::uint32_t child_;
    ParentGroups groups_;
    std::size_t most_parents_;  // besides the required ones
    std::vector<std::uint32_t> candidates_;
    std::vector<std::uint64_t> minded_;  // nodes in any addition that helps, as far as the tree is grown
    std::vector<Node> nodes_;
};

struct FoundDag {
    double score;
    std::vector<std::uint32_t> order;
    Parents parents;
};

class OrderSearch {
public:
    // Who watches may end the preparations: then the nodes that are left have no parents but required ones.
    OrderSearch(Scorer& scorer, const ArcRules& rules, std::size_t most_parents, std::size_t most_candidates,
                Watch* watch = nullptr);

    // From a random order to one that no move of a single node improves; then `kicks` times some nodes are put
    // elsewhere at random, the climb begins anew, and what it has made better is taken over. The best DAG first, then where
    // each further climb ended. Who watches may end it: then the last climb ended where it was.
    std::vector<FoundDag> climb(Random& random, std::size_t kicks, Watch* watch = nullptr);

    // Unites the best parts of some DAGs, then kicks and climbs on until `patience` kicks in a row have brought nothing
    // better. Then pairs of parents are looked for that pay only together and beside those of the best DAG; with such
    // pairs it climbs again.
    FoundDag improve(Random& random, std::vector<FoundDag> found, std::size_t patience, Watch* watch = nullptr);

    // The best DAG with those parts of another one that lose little.
    FoundDag near(const FoundDag& best, const FoundDag& other);

    // Per node the sets of parents that help only together, or nearly do.
    const std::vector<ParentGroups>& groups() const { return groups_; }

private:
    FoundDag climb_on(Random& random, FoundDag best, std::size_t patience, Watch* watch);
    FoundDag kicked(const FoundDag& dag, Random& random, Watch* watch);
    FoundDag with_parts(const FoundDag& dag, const FoundDag& other, double least);
    double total(const FoundDag& dag);
    FoundDag united_best(std::vector<FoundDag> found);
    std::vector<std::pair<double, std::vector<std::uint32_t>>> parts_apart(const Parents& from, const Parents& to);
    std::vector<std::uint32_t> find_pairs(const FoundDag& dag, Watch* watch);
    FoundDag dag_of(std::vector<std::uint32_t> order);
    void settle(std::vector<std::uint32_t>& order, Random& random, Watch* watch);
    void stir(std::vector<std::uint32_t>& order, const Parents& parents, Random& random) const;
    std::vector<std::uint32_t> random_order(Random& random) const;
    bool relocate(std::vector<std::uint32_t>& order, std::uint32_t x);

    const ArcRules& rules_;
    PenalisedScores score_;
    std::size_t most_parents_;
    Parents required_;
    std::vector<ParentGroups> groups_;
    std::vector<GrowShrink> nodes_;
    std::vector<std::uint64_t> before_;
    std::vector<std::uint32_t> rest_;
    std::vector<double> now_;  // the score of each node in the order that is being settled
    std::vector<double> without_, with_, own_;
    Parents spare_;
};

// At most `most` possible parents per node: those of the first DAG, then whoever has most to say for it in all of them,
// exp(temper * score) being the weight of a DAG, alone or in one of its groups. Required parents are not among them. Who
// watches may end it: then the nodes that are left have the parents of the first DAG.
std::vector<std::vector<std::uint32_t>> candidate_parents(Scorer& scorer, const ArcRules& rules,
                                                          const std::vector<const Parents*>& dags,
                                                          const std::vector<ParentGroups>& groups, std::size_t most,
                                                          double temper, Watch* watch = nullptr);

}  // namespace paucal
