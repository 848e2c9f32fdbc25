// Questions in, decisions out: single, in batches, and as a search for the first separating set.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/statistic.hpp"

namespace paucal {

enum class Sparse : std::uint8_t { test, independent, undecidable };

// What to do when the data are thin, and when to call them so.
struct ThinRule {
    Sparse sparse = Sparse::test;
    double least = 5;      // samples per cell or per degree of freedom
    bool per_dof = false;  // pcalg's way; otherwise per cell
};

struct Tally {
    std::uint64_t calls = 0, fresh = 0, unreliable = 0, undecidable = 0, powerless = 0;  // the last three: of the fresh
    void add_fresh(const Outcome& out) {
        ++fresh;
        unreliable += (out.flags & (kThin | kNoInformation | kPowerless)) != 0;
        undecidable += out.decision == Decision::undecidable;
        powerless += (out.flags & (kNoInformation | kPowerless)) != 0;
    }
    void add(const Tally& other) {
        calls += other.calls, fresh += other.fresh, unreliable += other.unreliable;
        undecidable += other.undecidable, powerless += other.powerless;
    }
};

// One entry of a search: the separating test if there is one, otherwise the test that came nearest.
struct Separation {
    bool found = false, asked = false;
    Outcome outcome;
    std::vector<std::uint32_t> set;
};

class Memo;

class Tester {
public:
    Tester(std::shared_ptr<const Columns> columns, std::shared_ptr<const Statistic> statistic, ThinRule rule);
    ~Tester();

    const Columns& columns() const { return *columns_; }
    const std::shared_ptr<const Columns>& shared_columns() const { return columns_; }
    const std::shared_ptr<const Statistic>& statistic() const { return statistic_; }

    Outcome ask(std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order, Tally& tally);

    // Many questions of one order; z holds `order` entries per question.
    void ask_many(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* z, int order,
                  int threads, Outcomes& out, Tally& tally);

    // Subsets of `candidates` in lexicographic order until one separates x and y.
    Separation first_separator(std::uint32_t x, std::uint32_t y, const std::vector<std::uint32_t>& candidates,
                               int order, Tally& tally);

    // The same for many pairs, each with the neighbours of its owner as candidates; without owners with those of x, and
    // then, where these do not separate, with those of y. A pair may occur once in a call: then the work can be shared
    // between threads and every number stays the same.
    void search(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* owner,
                const std::uint8_t* adjacency, int order, int threads, Separation* out, Tally& tally);

    // A p-value that no data with the margins of this question go below.
    double smallest_p(std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order);

    // The answer to tables that come from elsewhere: n of them, row-major, one after the other.
    struct Shape {
        std::size_t strata;
        std::uint32_t kx, ky;
        int order;
    };
    void read(std::size_t n, const std::uint32_t* tables, const Shape& shape, Outcomes& out) const;

private:
    struct Worker;
    Outcome evaluate(Worker& worker, const Question& question, const Family* family) const;
    Outcome judge(Counts* counts, int order) const;
    Outcome answer(Worker& worker, std::uint32_t x, std::uint32_t y, const std::uint32_t* z, int order,
                   const Family* family, Tally& tally) const;
    Separation separate(Worker& worker, std::uint32_t x, std::uint32_t y, const std::vector<std::uint32_t>& candidates,
                        int order, const Family* family, Tally& tally) const;
    void search_around(std::size_t n, const std::uint32_t* x, const std::uint32_t* y, const std::uint32_t* owner,
                       const std::uint8_t* adjacency, int order, int threads, Separation* out, Tally& tally);
    const Family* family_of(Worker& worker, std::uint32_t owner, const std::vector<std::uint32_t>& members,
                            double tests);
    std::vector<std::unique_ptr<Worker>>& workers(int threads);
    void remember(int threads);

    std::shared_ptr<const Columns> columns_;
    std::shared_ptr<const Statistic> statistic_;
    ThinRule rule_;
    std::unique_ptr<Memo> memo_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::unique_ptr<Family>> families_;  // by owner
};

}  // namespace paucal
