// The data as the kernel keeps them: one byte per value, and one bitset per state of every column with few states. A
// value that is missing counts for no state; a bitset per column says which rows those are. A row may stand for many
// equal ones: then it has a weight, and bits are not counted, but rows.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace paucal {

inline constexpr std::uint32_t kMostBitsetStates = 16;   // beyond, counting rows is cheaper than counting bits
inline constexpr std::uint32_t kMostStates = 1u << 24;    // of a column; a margin alone would take too much memory
inline constexpr std::size_t kMostCachedColumns = 2000;  // beyond, the pointers to pair tables alone take too much

struct Column {
    std::uint32_t states = 0;             // declared number of levels
    std::uint32_t observed = 0;           // how many of them occur
    const std::uint8_t* bytes = nullptr;  // null if there are more than 256 levels
    const std::uint32_t* wide = nullptr;  // null unless there are
    const std::uint64_t* bits = nullptr;  // null if there are more than kMostBitsetStates levels
    const std::uint64_t* missing = nullptr;  // the rows without a value, whose code is 0; null if every row has one
    std::vector<std::uint32_t> margin;    // samples per state
    bool ordinal = false;                 // whether the states stand in an order that means something

    std::uint32_t value(std::size_t row) const { return bytes ? bytes[row] : wide[row]; }
};

class Columns {
public:
    // `weights` says how many samples each row stands for; if it is empty, each is one.
    explicit Columns(std::size_t rows, std::vector<std::uint32_t> weights = {});
    Columns(const Columns&) = delete;
    Columns& operator=(const Columns&) = delete;
    ~Columns();

    // Codes must lie in 0 .. states-1; with `gaps`, the code `states` stands for a missing value.
    template <class Code> void add(std::span<const Code> codes, std::uint32_t states, bool gaps = false);
    // How a column is read where it is conditioned on: a number in a few steps. Before `finish`.
    template <class Code>
    void add_steps(std::uint32_t column, std::span<const Code> codes, std::uint32_t states, bool gaps = false);
    void set_ordinal(std::uint32_t column);
    void finish();  // after the last column

    std::size_t rows() const { return rows_; }
    std::size_t samples() const { return samples_; }  // the sum of the weights
    const std::uint32_t* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
    std::size_t words() const { return words_; }
    std::size_t size() const { return columns_.size(); }
    bool has_gaps() const { return has_gaps_; }
    const Column& operator[](std::size_t i) const { return columns_[i]; }
    bool has_steps(std::size_t i) const { return i < steps_.size() && steps_[i]; }
    const Column& given(std::size_t i) const { return has_steps(i) ? *steps_[i] : columns_[i]; }

    // Throws unless these are different columns of the data.
    void check_question(std::uint32_t x, std::uint32_t y, std::span<const std::uint32_t> given) const {
        if (x >= size() || y >= size() || x == y || !given.empty()) check_each(x, y, given);
    }

    // The same for many questions of one order; `given` holds `order` entries for each.
    void check_questions(std::span<const std::uint32_t> x, std::span<const std::uint32_t> y,
                         std::span<const std::uint32_t> given, std::size_t order) const;

    // Counts of columns a < b (both with bitsets) over the rows that have both, row-major by the state of a. Kept for
    // the life of the data when there are few columns; otherwise computed into `scratch`.
    const std::uint32_t* pair_table(std::size_t a, std::size_t b, std::vector<std::uint32_t>& scratch) const {
        if (pairs_)
            if (const std::uint32_t* known = pairs_[pair_number(a, b)].load(std::memory_order_acquire)) return known;
        return make_pair_table(a, b, scratch);
    }
    bool keeps_pairs() const { return pairs_ != nullptr; }

private:
    void check_each(std::uint32_t x, std::uint32_t y, std::span<const std::uint32_t> given) const;
    std::size_t pair_number(std::size_t a, std::size_t b) const { return a * (2 * size() - a - 1) / 2 + (b - a - 1); }
    const std::uint32_t* make_pair_table(std::size_t a, std::size_t b, std::vector<std::uint32_t>& scratch) const;
    void count_pair(std::size_t a, std::size_t b, std::uint32_t* out) const;
    void count_weighted_pair(const Column& a, const Column& b, std::uint32_t* out) const;

    std::size_t rows_, words_, samples_;
    std::vector<std::uint32_t> weights_;
    bool has_gaps_ = false;
    std::vector<Column> columns_;
    std::vector<std::unique_ptr<Column>> steps_;  // by column; none if it is conditioned on as it is
    std::vector<std::unique_ptr<std::uint8_t[]>> storage_;
    mutable std::unique_ptr<std::atomic<const std::uint32_t*>[]> pairs_;  // upper triangle
};

}  // namespace paucal
