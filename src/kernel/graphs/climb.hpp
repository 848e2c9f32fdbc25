// Hill climbing: from a DAG to the best one that adding, deleting or turning one arrow can make, again and again.
#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "graphs/orders.hpp"
#include "graphs/scores.hpp"
#include "math/bitset.hpp"
#include "watch.hpp"

namespace paucal {

struct ClimbPlan {
    std::size_t most_parents;  // of a node
    std::size_t tabu;          // how many of the last DAGs may not come again; 0: the first summit is the end
    std::size_t patience;      // with tabu: moves without a new best after which the climb ends
};

// Moves are compared in the order additions, deletions, reversals, each by parent and child, and of moves within the
// tolerance the first wins.
class Climb {
public:
    static constexpr double kTolerance = 1.5e-8;

    // Required arcs are in the start, and stay.
    Climb(Scorer& scorer, const ArcRules& rules, const BitMatrix& start, ClimbPlan plan);

    // The best DAG of the whole way: where no move leads up, or who watches has ended it.
    BitMatrix run(Watch* watch);

    std::uint64_t steps() const { return steps_; }
    std::uint64_t evaluated() const { return known_.size(); }  // different families

private:
    struct Move {
        double gain;
        std::uint64_t number;  // kind * n * n + parent * n + child; kinds: add, delete, turn
    };
    struct Key {
        std::uint64_t a, b;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const { return key.a; }
    };

    double local(std::uint32_t node, const std::vector<std::uint32_t>& parents);
    void update(std::uint32_t node);
    void find_paths();
    void list_moves();
    bool step(double& gain);
    bool turns_back(const Move& move) const;
    void make(const Move& move);

    Scorer& scorer_;
    const ArcRules& rules_;
    ClimbPlan plan_;
    std::size_t n_;
    BitMatrix children_, leads_to_;
    Parents parents_;
    std::vector<double> gain_;  // [i * n + j]: of putting i among the parents of j, or taking it away
    std::vector<Move> moves_;
    std::deque<BitMatrix> last_;
    std::unordered_map<Key, double, Hash> known_;
    std::uint64_t steps_ = 0;
};

}  // namespace paucal
