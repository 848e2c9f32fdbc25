// Questions in, decisions out: single, in batches, and as a search for the first separating set.
#pragma once
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "ask/criterion.hpp"
#include "ask/outcome.hpp"
#include "tests/reading.hpp"
#include "watch.hpp"

namespace paucal {

using Index = std::uint32_t;
using Indices = std::span<const Index>;

enum class Sparse : std::uint8_t { test, independent, undecidable };

// What to do when the data are thin, and when to call them so.
struct ThinRule {
    Sparse sparse = Sparse::test;
    double least = 0;      // samples per cell or per degree of freedom; 0: never
    bool per_dof = false;  // pcalg's way; otherwise per cell
};

// One entry of a search: the separating test if there is one, otherwise the test that came nearest.
struct Separation {
    bool found = false, asked = false, fresh = false;  // fresh: a question was not answered from memory
    Outcome outcome;
};

// Entries of one order; the sets of all lie in one piece.
struct Separations {
    Separations(std::size_t n, int order)
        : order(order), of(n), sets(n * static_cast<std::size_t>(order > 0 ? order : 0)) {}
    Index* set(std::size_t i) { return sets.data() + i * static_cast<std::size_t>(order); }

    int order;
    std::vector<Separation> of;
    std::vector<Index> sets;
};

// Pairs to be separated, each by the neighbours of its owner; without owners by those of x and then, where these do not
// separate, by those of y. A pair may occur once: then the work can be shared between threads and every number stays
// the same.
struct Pairs {
    Indices x, y, owner;                      // all of one length; no owners, or as many
    std::span<const std::uint8_t> adjacency;  // a square matrix over the columns
};

// One order of PC-stable: the pairs that were still joined, and what came of them.
struct Round {
    std::vector<Index> x, y;
    Separations found;
    Tally tally;
};

// Sets to try: of `order` members, which are all of `always` and some of the candidates.
struct Sets {
    Indices candidates;
    int order;
    Indices always;
};

// Questions around x: sets between it and each y, of all of `always` and some of the candidates, which are all but y.
struct Around {
    Index x;
    std::vector<Index> y, candidates, always;

    std::vector<Index> others(Index y, bool with_always) const;
};

// Sets of growing size that were tried: one entry for a pair and a size, pair after pair.
struct Growing {
    std::vector<Index> place, size;  // number of the pair, members of the set
    std::vector<Separation> of;
    std::vector<Index> sets;  // `width` places for each
    std::size_t width = 0;
    std::vector<Tally> tallies;  // by size
};

// How long a call may go on: so many sets for a pair, and until somebody who watches ends it. What was not asked by then
// is left undecided.
struct Patience {
    Watch* watch = nullptr;
    std::uint64_t most_sets = std::numeric_limits<std::uint64_t>::max();
};

class Memo;

// Safe to use from several threads: one call is served after the other. Every argument is checked.
class Tester {
public:
    // `act`: questions that no table with these margins could have answered are left undecided.
    Tester(std::shared_ptr<const Columns> columns, SharedStatistic statistic, Criterion criterion, ThinRule rule,
           bool act);
    ~Tester();

    // A tester that asks the same way and remembers nothing yet.
    std::shared_ptr<Tester> again() const {
        return std::make_shared<Tester>(columns_, statistic_, criterion_, rule_, act_);
    }

    const SharedStatistic& statistic() const { return statistic_; }

    Outcome ask(Index x, Index y, Indices z, Tally& tally);

    // The same if it takes a few microseconds at most: the answer is remembered, or the rows are few. Nothing if it may
    // take longer, or if another thread is asking: it never waits.
    std::optional<Outcome> ask_at_once(Index x, Index y, Indices z, Tally& tally);

    // Many questions of one order; z holds `order` entries per question.
    void ask_many(Indices x, Indices y, Indices z, int order, int threads, Outcomes& out, Tally& tally,
                  Watch* watch = nullptr);

    // Subsets of `candidates` in lexicographic order until one separates x and y.
    Separations first_separator(Index x, Index y, Indices candidates, int order, Tally& tally,
                               const Patience& patience = {});

    // For each x and each of its y the sets of `least` to `most` members, the smaller first, until one separates the two.
    // An x may come once.
    Growing grow(std::span<const Around> around, int least, int most, int threads, const Patience& patience = {});

    // The same as `first_separator` for many pairs.
    Separations search(const Pairs& pairs, int order, int threads, Tally& tally,
                                   const Patience& patience = {});

    // The same for one pair after the other: a pair that is separated is taken from the neighbours of both ends at once.
    Separations thin(const Pairs& pairs, int order, Tally& tally, const Patience& patience = {});

    // Round after round from order 0 to `last`, as long as a round asks something and has few sets to try; pairs that
    // are separated are taken from the neighbours at the end of a round.
    // `finished` says whether there is nothing left to ask.
    struct Rounds {
        std::vector<Round> done;
        bool finished = true;
    };
    Rounds rounds(Indices x, Indices y, std::span<const std::uint8_t> adjacency, int last, double few_sets, int threads,
                  const Patience& patience = {});

    // A p-value that no data with the margins of this question go below.
    double smallest_p(Index x, Index y, Indices z);

    // The answers to tables that come from elsewhere: row-major, one after the other.
    struct Shape {
        std::size_t strata;
        Index kx, ky;
        int order;
    };
    Outcomes read(std::span<const std::uint32_t> tables, const Shape& shape) const;

    // The one place that decides. No counts: a variable is constant among so many samples, and that is decided before any
    // formula is. The outcome is written where it is wanted: to copy it while it is being written costs as much as a table.
    Outcome judge(Counts* counts, std::uint32_t samples, int order) const;

private:
    struct Worker;
    Outcome evaluate(Worker& worker, const Question& question, const Family* family) const;
    Outcome evaluate_complete(Worker& worker, const Question& question, const Family* family) const;
    Outcome answer(Worker& worker, Index x, Index y, Indices z, const Family* family, Tally& tally) const;
    Separation separate(Worker& worker, Index x, Index y, const Sets& sets, const Family* family, Tally& tally,
                        const Patience& patience, Index* set) const;
    struct Grown {
        std::size_t place;
        Separation separation;
        std::vector<Index> set;
        Tally tally;
        Worker* worker;          // who asked, and where its new answers lie
        std::size_t begin, end;
    };
    std::vector<Grown> grow_around(Worker& worker, const Around& around, int least, int most, const Patience& patience);
    void check_pairs(const Pairs& pairs, int order) const;
    const Family* family_around(Worker& worker, Index x, Index y, Indices candidates, int order);
    Separations searched(const Pairs& pairs, int order, int threads, Tally& tally, const Patience& patience);
    void search_around(const Pairs& pairs, int order, int threads, Separations& out, Tally& tally,
                       const Patience& patience);
    void search_owner(Worker& worker, Index owner, const std::vector<std::size_t>& entries, const Pairs& pairs,
                      int order, Separations& out, Tally& tally, const Patience& patience);
    struct Batch {
        Indices x, y, z;
    };
    const Family* family_at(Worker& worker, const Batch& batch, std::size_t i, const Question& question) const;
    const Family* family_of(Worker& worker, Index owner, const std::vector<Index>& members, double tests);
    std::vector<std::unique_ptr<Worker>>& workers(int threads);
    void remember(int threads);

    std::shared_ptr<const Columns> columns_;
    SharedStatistic statistic_;
    Criterion criterion_;
    ThinRule rule_;
    bool act_;
    std::mutex busy_;  // held by the calls that write what follows
    std::unique_ptr<Memo> memo_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::unique_ptr<Family>> families_;  // by owner
};

}  // namespace paucal
