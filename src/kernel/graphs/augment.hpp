// Sampling DAGs from data with gaps, by data augmentation (Tanner and Wong 1987): graph, parameters, gaps, and again.
//
// A chain begins with every gap filled by a value of its column, drawn at random. Then, for each filling:
//   graph        the sampler of dag_chains.hpp on the completed table, from the last DAG on; some rounds unrecorded, then
//                some recorded. Now and then an order search from a random order shows it further candidates.
//   parameters   the tables of the last DAG, drawn from their posterior (parameters.hpp)
//   gaps         some sweeps over the columns with gaps, in random order; each gap of column v in row i takes a level with
//                P(level) proportional to P(level | parents of v in i) * prod over children c P(value of c | its parents)
//
// Rows in which a column was set from outside say nothing about its causes: its families are scored, and their tables
// drawn, on the other rows. In a row in which it was set, it is no child of its parents; if the value is missing there, it
// is drawn by how often each level was set.
//
// Graphs may be scored by other columns than those that gaps are drawn in: lines and steps of the score "mixed". A gap
// then has a donor, drawn anew with every filling among the rows whose observed level is the one that was drawn for the
// gap; the gap counts with the donor's value.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graphs/parameters.hpp"
#include "graphs/sampler.hpp"

namespace paucal {

class GapChain;

// How graphs read a column: by cells of its own, or as a line. Entries of rows with a gap do not count.
struct GapReading {
    std::vector<std::uint32_t> codes;  // of the rows, if there are states
    std::uint32_t states = 0;          // 0 for a line
    std::vector<double> line;          // values of the rows, on any scale
    double nugget = 0;
};

class GapSampler {
public:
    struct Plan {
        std::vector<double> sizes;  // equivalent sample sizes of the score
        std::size_t searched_parents, most_grown;  // of the order search
        std::size_t search_every;                  // fillings from one order search to the next
        std::size_t most_candidates;
        int most_parents;
        std::vector<double> heats;
        int settling, rounds, sweeps;  // of each filling; the rounds are recorded
        std::size_t kept;              // DAGs of each recorded filling, evenly spaced, the last one among them
        std::size_t chains;
        std::uint64_t seed;
    };
    // The codes of every column with gaps must be those of observed levels, numbered from 0. `forbidden` is empty without
    // background knowledge; `set` is empty, or says for every column in which rows it was set, [column * rows + row].
    GapSampler(const Columns& columns, std::vector<double> levels, ArcRules rules, std::vector<std::uint8_t> forbidden,
               std::vector<std::uint8_t> set, Plan plan);
    ~GapSampler();

    // From now on graphs are scored by these readings, one for each column.
    void read_as(std::vector<GapReading> readings);

    // Every chain has its own random numbers, so the number of threads changes nothing but the time. Who watches may end
    // it, after one filling of every chain at the earliest, which is then cut short.
    void run(int fillings, bool record, int threads, Watch* watch = nullptr);

    // What a chain has come to, as bytes, which a chain of a sampler of the same data and rules takes in: it goes on as this
    // one would, in another process too. Bytes that are damaged or of other data are refused, and nothing changes.
    std::string state(std::size_t chain) const;
    void take(std::size_t chain, std::string_view state);

    std::size_t n() const { return rules_.n; }
    std::size_t n_chains() const { return chains_.size(); }
    std::size_t rows() const { return rows_; }

    // What the recorded DAGs of a chain said about each pair, and how many there are.
    std::pair<Tallies, std::uint64_t> tallies(std::size_t chain) const;
    std::pair<double, double> rates(std::size_t chain) const;  // accepted relocations, swaps
    std::uint64_t evaluated() const;                           // tables counted so far
    std::vector<std::vector<Index>> filled(std::size_t chain) const;
    // Per column and row the row whose value counts: that row itself but for gaps. Only with readings.
    std::vector<std::vector<Index>> donors(std::size_t chain) const;
    // The DAGs that were kept of every recorded filling; and, of the last one of each, the one whose class is expected to
    // differ in the fewest pairs.
    std::vector<BitMatrix> dags(std::size_t chain) const;
    BitMatrix central(std::span<const double> arrow, std::span<const double> line) const;

private:
    const GapChain& at(std::size_t chain) const;

    ArcRules rules_;
    std::vector<std::uint8_t> forbidden_, set_;
    Plan plan_;
    std::size_t rows_;
    std::vector<GapReading> readings_;  // empty: the columns that gaps are drawn in
    std::vector<std::unique_ptr<GapChain>> chains_;
    mutable std::mutex busy_;  // held by who runs or reads the chains
};

}  // namespace paucal
