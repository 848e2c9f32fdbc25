// Sampling DAGs from P(G) proportional to exp(temper * score of G), G over all DAGs whose families are tabulated.
//
// State of a walker: a DAG G and an order o that fits it, with the joint target P(G) pr(o | G), where pr(o | G) is the
// chance of o when nodes without unplaced parents are placed one after the other, each time drawn evenly. Its margin
// is P(G) exactly, however many orders a DAG has. Three moves leave it as it is:
//
//   relocation  One node u moves to a place drawn from its conditional under "every DAG that fits the order counts",
//               that is, with the parents of u and of all who may have u as a parent summed out. Those of them whose
//               candidates stand in front of them as before keep their parents, the others draw theirs anew; the
//               chances of this way and of the way back are in the right proportion for every single one of them.
//               Accepted with probability min(1, pr(o' | G') / pr(o | G)).
//   parents     A node draws its parents anew among the sets without any of its descendants (Gibbs).
//   order       o is drawn anew from pr(. | G).
//
// A second walker per chain sees a flatter target, and the two may swap states (parallel tempering).
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "graphs/classes.hpp"
#include "graphs/orders.hpp"
#include "math/random.hpp"
#include "state.hpp"

namespace paucal {

// All sets of parents a node may have, with their scores, and for every subset of its candidates the sum of the weights
// exp(heat * (score - best score)) of the sets inside it.
struct FamilyTable {
    struct Heat {
        double heat;
        bool logs;                   // whether sums are kept as logarithms: some would be too small for a number
        std::vector<double> weight;  // of each set
        std::vector<double> sum;     // by subset of candidates
    };
    std::vector<std::uint32_t> required, candidates;
    std::vector<std::uint16_t> mask;    // by descending score, bits number candidates
    std::vector<std::uint16_t> number;  // by subset of candidates: which set that is, 0xFFFF if none
    std::vector<double> score;
    std::vector<Heat> heats;
};

// What u is to w, and w to u.
struct Link {
    std::uint16_t mine = 0;   // the bit of u among the candidates of w, 0 if it is none
    std::uint16_t other = 0;  // the bit of w among the candidates of u
    bool before = false, behind = false;  // whether w must be a parent of u, or a child
};

// Which sets of parents are tabulated: all of up to `all_to` candidates; larger ones, up to `most`, if they or sets with
// one parent less consist of parents that all pay, or if they lie in a set of parents that the order search found.
struct SetSizes {
    int all_to, most;
};

class FamilyTables {
public:
    // Who watches may end it: of the nodes that are left, only the parents that were found first are tabulated, with their
    // subsets of one parent less, and no parents at all.
    FamilyTables(Scorer& scorer, const ArcRules& rules, const std::vector<std::vector<std::uint32_t>>& candidates,
                 const std::vector<FoundDag>& found, SetSizes sizes, std::vector<double> heats,
                 Watch* watch = nullptr);
    // What another one has written. Sums are made anew: they are most of the memory, and quickly made.
    FamilyTables(StateReader& in, const ArcRules& rules);
    void write(StateWriter& out) const;
    std::uint64_t fingerprint() const { return fingerprint_; }  // tells tables apart

    std::size_t size() const { return families_.size(); }
    const FamilyTable& operator[](std::size_t v) const { return families_[v]; }
    const std::vector<double>& heats() const { return heats_; }
    const Link* links(std::uint32_t u) const { return links_.data() + u * size(); }
    // Who has a link with u that is not empty.
    const std::vector<std::uint32_t>& linked(std::uint32_t u) const { return linked_[u]; }
    const std::vector<std::uint32_t>& possible_children(std::uint32_t u) const { return possible_children_[u]; }
    std::uint64_t n_sets() const;

private:
    void link(const ArcRules& rules, std::uint32_t v, std::vector<std::uint32_t> candidates);
    void finish();
    void find_sets(FamilyTable& family, std::uint32_t v, PenalisedScores& score, const std::vector<FoundDag>& found,
                   SetSizes sizes, bool ended) const;
    void sum_up(FamilyTable& family) const;

    std::vector<double> heats_;
    std::vector<FamilyTable> families_;
    std::vector<Link> links_;
    std::uint64_t fingerprint_ = 0;
    std::vector<std::vector<std::uint32_t>> possible_children_, linked_;
};

// A DAG and an order that fits it.
struct DagState {
    std::vector<std::uint32_t> order, place;
    std::vector<std::uint16_t> choice;  // per node the number of its set of parents
    std::vector<std::uint16_t> mask;    // and which of its candidates are in it
    std::vector<std::uint16_t> before;  // per node the candidates that precede it
    // What pr(order | DAG) follows from: a node may be placed once its last parent stands.
    std::vector<std::uint32_t> last;   // per node the parent that stands last, n if there is none
    std::vector<std::uint32_t> frees;  // per node how many have it as their last parent
    std::vector<std::uint32_t> ready;  // by place, how many nodes might have come to stand there
};

class Walker {
public:
    Walker(const FamilyTables& tables, const ArcRules& rules, std::size_t heat, const FoundDag& start, Random& random);

    void relocate(std::uint32_t u, Random& random);
    void draw_parents(Random& random);  // one sweep over all nodes
    void draw_order(Random& random);
    double score() const;
    void children(BitMatrix& out) const;
    const std::vector<std::uint32_t>& order() const { return now_.order; }
    const std::vector<std::uint16_t>& choice() const { return now_.choice; }
    void swap(Walker& other) { std::swap(now_, other.now_); }
    void write(StateWriter& out) const;
    void read(StateReader& in);
    double acceptance() const { return moves_ ? static_cast<double>(accepted_) / static_cast<double>(moves_) : 1; }

private:
    struct Places {  // one after the other that weigh the same
        std::size_t first;
        double weight;
    };

    struct Weights {  // of the sets of parents of a node at the heat of this walker
        const double *weight, *sum;
        bool logs;
    };

    std::uint16_t draw(std::uint32_t v, std::uint16_t available, Random& random) const;
    void choose(std::uint32_t v, std::uint16_t choice) {
        now_.choice[v] = choice;
        now_.mask[v] = tables_[v].mask[choice];
    }
    template <class F> void each_parent(std::uint32_t v, std::uint16_t mask, F&& f) const;
    template <bool kLogs> void weigh_places(std::uint32_t u);
    std::size_t draw_place(std::uint32_t u, Random& random);
    void shift(std::uint32_t u, std::size_t to);
    void set_last(std::uint32_t v, std::uint32_t parent);
    double find_ready(std::size_t lo, std::size_t hi, std::size_t& first);
    void find_before();
    void find_places();

    const FamilyTables& tables_;
    const ArcRules& rules_;
    std::size_t heat_;
    std::vector<Weights> weights_;
    DagState now_;
    std::vector<std::pair<std::uint32_t, std::uint16_t>> redrawn_;  // nodes of a relocation with the choice they had
    std::vector<std::pair<std::uint32_t, std::uint32_t>> refreed_;  // and with the last parent they had
    std::vector<std::uint32_t> fresh_;                              // its places that change: how many are ready there
    std::vector<Places> places_;  // where a node may stand, and what that weighs
    std::size_t first_ = 0, end_ = 0;  // places that required arcs leave to it
    std::vector<double> log_integer_;
    std::vector<std::uint32_t> ready_, waiting_, stack_;
    std::vector<std::uint64_t> seen_, marked_;
    BitMatrix children_;
    std::uint64_t moves_ = 0, accepted_ = 0;
};

// What the recorded DAGs of a chain said about each pair, [a * n + b].
struct Tallies {
    std::vector<std::uint32_t> arrow, line, blanket, causes;  // the last: a directed path leads from a to b
    std::vector<std::vector<std::uint16_t>> dags;  // the choices of each recorded DAG
};

class Chain {
public:
    Chain(const FamilyTables& tables, const ArcRules& rules, const std::uint8_t* forbidden, const FoundDag& start,
          Random random);

    // A round is as many relocations as there are nodes; after each half of it the parents are drawn anew, and the DAG
    // is recorded if asked for. Who watches may end it, after the first half of a round at the earliest.
    void run(int rounds, bool record, Watch* watch = nullptr);

    // Where the chain is and what it has recorded. A chain with the same tables goes on from there as this one would; if
    // the bytes are refused, it stays as it was.
    void write(StateWriter& out) const;
    void read(StateReader& in);

    const Tallies& tallies() const { return tallies_; }
    double best_score() const { return best_score_; }
    const std::vector<std::uint16_t>& best() const { return best_; }
    double acceptance() const { return walkers_.front().acceptance(); }
    double swap_rate() const { return swaps_ ? static_cast<double>(swapped_) / static_cast<double>(swaps_) : 0; }

private:
    void swap_heats();
    void note();
    std::vector<std::uint16_t> read_choice(StateReader& in) const;
    double score_of(const std::vector<std::uint16_t>& choice) const;

    const FamilyTables& tables_;
    Random random_;
    std::vector<Walker> walkers_;  // one per heat
    Completion completion_;
    BitMatrix children_, parents_, around_;  // of the DAG that is noted: around_ is who is below a node, or in its blanket
    Tallies tallies_;
    std::vector<std::uint16_t> best_;
    double best_score_;
    std::uint64_t swaps_ = 0, swapped_ = 0;
};

}  // namespace paucal
