// Scores of families (a variable and its parents) on data.
//
// Most are differences of a score of sets, local(v | Pa) = f(Pa + v) - f(Pa), and so give every DAG of a Markov
// equivalence class the same value; f is remembered, so that families share the work. BDs and K2 are not of this kind.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/columns.hpp"
#include "data/counting.hpp"
#include "graphs/mixed.hpp"

namespace paucal {

inline constexpr int kMostMembers = 64;  // of a set; callers keep to it

// How often each count occurs among the cells of a table, by ascending count: all that a symmetric score looks at, and
// the same to the last bit however rows, columns or levels are ordered.
struct Profile {
    struct Entry {
        std::uint32_t count, cells;
    };
    std::vector<Entry> entries;  // positive counts only
    double observed = 0;         // cells with samples
    double cells = 1;            // product of the numbers of levels
};

// f(S), from the profile of S.
class SetScore {
public:
    virtual ~SetScore() = default;
    virtual double operator()(const Profile& profile) = 0;
};

// log of the mean over `sizes` of the Dirichlet-multinomial likelihood with size / cells pseudo-counts in every cell.
// One size is BDeu; a grid 0.5, 1, 2 ... is the averaged evidence "eb".
std::unique_ptr<SetScore> dirichlet_score(std::size_t rows, std::vector<double> sizes);
// Maximal log-likelihood less `per_parameter` for each free parameter: BIC with ln(N) / 2, AIC with 1.
std::unique_ptr<SetScore> fit_score(std::size_t rows, double per_parameter);
std::unique_ptr<SetScore> qnml_score(std::size_t rows);

// Pseudo-counts in the cells of a family with `configurations` observed ones of the parents.
struct FamilyPrior {
    bool shared;  // BDs: `size` in all, shared by the observed configurations; otherwise (K2) `size` per cell
    double size;
    double per_cell(double configurations, double levels) const {
        return shared ? size / (configurations * levels) : size;
    }
};

// Not safe to share between threads: it counts and remembers.
class Scorer {
public:
    // `levels` are the numbers of levels that formulas go by, observed or declared.
    Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, std::unique_ptr<SetScore> score);
    Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, FamilyPrior prior);
    // Columns that are read in several forms: with cells (`columns`), then as lines. `forms` says for every column of the
    // data in which form it counts.
    Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, std::unique_ptr<SetScore> score,
           std::unique_ptr<Lines> lines, std::vector<std::uint32_t> forms);
    // Reads the same columns in other forms; what is remembered of the old ones stays.
    void use(std::vector<std::uint32_t> forms);

    std::size_t rows() const { return columns_->rows(); }
    std::size_t samples() const { return columns_->samples(); }
    const std::uint32_t* weights() const { return columns_->weights(); }
    std::size_t words() const { return columns_->words(); }  // of the bits of a level
    // The cells that a column is counted in; null if it is read as a line.
    const Column* cells(std::uint32_t column) const {
        const std::size_t form = lines_ ? forms_[column] : column;
        return form < columns_->size() ? &(*columns_)[form] : nullptr;
    }
    std::size_t size() const { return lines_ ? forms_.size() : columns_->size(); }  // columns that sets are made of
    bool of_sets() const { return set_score_ != nullptr; }
    std::uint64_t evaluated() const { return evaluated_; }  // tables counted so far

    // Members and parents may come in any order, without repetition.
    double set(const std::uint32_t* members, int n);
    double set_unremembered(const std::uint32_t* members, int n);
    double local(std::uint32_t child, const std::uint32_t* parents, int n);

    // Families of a child are scored by somebody else: on the rows in which it was not set from outside.
    using Families = std::function<double(std::uint32_t child, const std::uint32_t* parents, int n)>;
    void ask_instead(std::uint32_t child, Families families);
    bool asks_others() const { return !instead_.empty(); }

private:
    Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels);

    static constexpr int kMostRemembered = 8;
    static constexpr std::size_t kMostKnown = 1 << 22;  // scores, some 200 MB; then all are forgotten
    struct Key {
        std::uint64_t a = 0, b = 0;  // up to eight members of 16 bits, ascending; 0 is no member
        bool operator==(const Key&) const = default;
    };
    // Scores by key, in one piece of memory: looking up is most of what searches do. No key is empty.
    class Known {
    public:
        const double* find(const Key& key) const;
        void add(const Key& key, double value);  // which is not there yet

    private:
        struct Entry {
            Key key;
            double value;
        };
        std::size_t place_of(const Key& key) const;  // where it is, or would be
        void grow();

        std::vector<Entry> entries_;  // a power of two of them, at most three in five in use
        std::size_t used_ = 0;
    };

    bool key_of(const std::uint32_t* members, int n, Key& key) const;  // sorted; false if it does not fit
    double remembered(const std::uint32_t* members, int n);  // of columns with cells
    double mixed(const std::uint32_t* members, int n, bool remember);
    const Profile& profile(const std::uint32_t* members, int n);
    double family(std::uint32_t child, const std::uint32_t* parents, int n);

    std::shared_ptr<const Columns> columns_;
    std::vector<double> levels_;
    std::unique_ptr<SetScore> set_score_;
    FamilyPrior prior_{};
    std::unique_ptr<Lines> lines_;
    std::vector<std::uint32_t> forms_;
    Counter counter_;
    Profile profile_;
    std::vector<std::uint32_t> small_, large_;
    Known known_;
    std::vector<Families> instead_;  // by child; empty if nobody else is asked
    std::uint64_t evaluated_ = 0;
};

}  // namespace paucal
