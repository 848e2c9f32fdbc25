// Equivalence classes of DAGs, as the graph of what all members agree on; and how far one is, on average, from a
// distribution over such graphs.
#pragma once
#include <cstdint>
#include <vector>

#include "math/bitset.hpp"

namespace paucal {

// What is known of an arrow, in the bits of a byte.
inline constexpr std::uint8_t kForbidden = 1;  // knowledge leaves no DAG with it in the class
inline constexpr std::uint8_t kTold = 2;       // interventions tell its direction: all DAGs of the class have the same one

// From a DAG to its class: its edges, with arrows where v-structures, background knowledge, interventions and Meek's
// rules put them.
class Completion {
public:
    // `forbidden` is [parent * n + child], of the bits above; null if nothing is known.
    Completion(std::size_t n, const std::uint8_t* forbidden);

    void complete(const BitMatrix& children);  // of the DAG

    const BitMatrix& arrows() const { return arrows_; }  // [a] holds b: a -> b
    const BitMatrix& lines() const { return lines_; }    // symmetric

private:
    void orient(std::uint32_t a, std::uint32_t b);
    bool follows(std::uint32_t a, std::uint32_t b) const;
    bool meets(const std::uint64_t* a, const std::uint64_t* b, const std::uint64_t* not_in, std::uint32_t except) const;
    void close();

    std::size_t n_, words_;
    bool knowledge_ = false;
    BitMatrix forbidden_, told_, arrows_, into_, lines_, adjacent_, parents_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> todo_;
};

// A DAG with the edges and arrows of a PDAG and no further v-structures, sink by sink, the last nodes first (Dor and Tarsi
// 1992); and the nodes that remain, if there is none.
struct Extension {
    BitMatrix children;
    std::vector<std::uint32_t> left;
};
Extension extended(const BitMatrix& pdag);  // [a] holds b: a -> b, or a -- b if [b] holds a

// The triples a - c - b whose ends are not joined, a < b, by a, b and c.
struct Triples {
    std::vector<std::uint32_t> a, c, b;
};
Triples unshielded_triples(const BitMatrix& adjacency);

// Probabilities of the graph between a and b: [a * n + b] of a -> b, and symmetrically of a -- b.
struct PairProbabilities {
    const double *arrow, *line;
};

// What a class loses against the empty graph: the change of the expected number of pairs that differ.
double expected_loss(const Completion& graph, std::size_t n, const PairProbabilities& probabilities);

}  // namespace paucal
