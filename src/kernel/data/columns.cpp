#include "data/columns.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "errors.hpp"
#include "isa/isa.hpp"

namespace paucal {
namespace {

std::uint8_t* aligned(std::uint8_t* p) {
    const auto address = reinterpret_cast<std::uintptr_t>(p);
    return p + (64 - address % 64) % 64;
}

}  // namespace

Columns::~Columns() {
    if (!pairs_) return;
    for (std::size_t i = 0; i < size() * (size() - 1) / 2; ++i) delete[] pairs_[i].load(std::memory_order_relaxed);
}

Columns::Columns(std::size_t rows, std::vector<std::uint32_t> weights)
    : rows_(rows), words_((rows + 255) / 256 * 4), samples_(rows), weights_(std::move(weights)) {
    if (!weights_.empty()) {
        if (weights_.size() != rows) refuse("there are ", weights_.size(), " weights for ", rows, " rows");
        samples_ = 0;
        for (const std::uint32_t weight : weights_) {
            if (weight == 0) refuse("a row has the weight 0; it must stand for one sample at least");
            samples_ += weight;
        }
    }
    if (samples_ >= (std::size_t{1} << 32)) refuse("there are ", samples_, " rows; there may be at most 2^32 - 1");
}

void Columns::check_each(std::uint32_t x, std::uint32_t y, std::span<const std::uint32_t> given) const {
    const auto exists = [this](std::uint32_t v) {
        if (v >= size()) throw std::out_of_range(say("there is no column ", v, "; the data have ", size()));
    };
    exists(x), exists(y);
    if (x == y) refuse("column ", x, " is asked about itself");
    for (std::size_t i = 0; i < given.size(); ++i) {
        exists(given[i]);
        if (given[i] == x || given[i] == y) refuse("column ", given[i], " is asked about and conditioned on");
        for (std::size_t j = 0; j < i; ++j)
            if (given[j] == given[i]) refuse("column ", given[i], " is conditioned on twice");
    }
}

void Columns::check_questions(std::span<const std::uint32_t> x, std::span<const std::uint32_t> y,
                              std::span<const std::uint32_t> given, std::size_t order) const {
    const auto n = static_cast<std::uint32_t>(size());
    std::uint32_t wrong = 0;  // without branches: nearly always nothing is, and only then it matters what
    for (std::size_t i = 0; i < x.size(); ++i) {
        wrong |= x[i] >= n;
        wrong |= y[i] >= n;
        wrong |= x[i] == y[i];
    }
    for (std::size_t i = 0; i < (order == 1 ? x.size() : 0); ++i) {
        wrong |= given[i] >= n;
        wrong |= given[i] == x[i];
        wrong |= given[i] == y[i];
    }
    if (wrong || order > 1)
        for (std::size_t i = 0; i < x.size(); ++i) check_each(x[i], y[i], given.subspan(i * order, order));
}

template <class Code> void Columns::add(std::span<const Code> codes, std::uint32_t states, bool gaps) {
    if (codes.size() != rows_) refuse("a column has ", codes.size(), " rows; the data have ", rows_);
    if (states == 0 || states > kMostStates) refuse("a column has ", states, " states; it needs 1 to ", kMostStates);
    Column column;
    column.states = states;
    Code largest = 0;
    for (const Code code : codes) largest = std::max(largest, code);
    const bool incomplete = gaps && largest == states;
    if (largest >= states && !incomplete) refuse("the code ", +largest, " is not below the number of states, ", states);

    const bool narrow = states <= 256;
    const std::size_t value_bytes = (rows_ * (narrow ? 1 : 4) + 127) / 64 * 64;  // padded: loops may read past the end
    const std::size_t n_sets = (states <= kMostBitsetStates ? states : 0) + incomplete;
    const std::size_t bytes = value_bytes + n_sets * words_ * 8 + 64;
    storage_.push_back(std::make_unique_for_overwrite<std::uint8_t[]>(bytes));
    std::uint8_t* base = aligned(storage_.back().get());
    auto* sets = reinterpret_cast<std::uint64_t*>(base + value_bytes);
    auto* missing = incomplete ? sets + (n_sets - 1) * words_ : nullptr;
    const auto keep = [&](auto* values) {
        using Value = std::remove_pointer_t<decltype(values)>;
        for (std::size_t r = 0; r < rows_; ++r) values[r] = static_cast<Value>(codes[r]);
        std::fill(values + rows_, values + value_bytes / sizeof(Value), Value{0});
        if (states <= kMostBitsetStates) {
            column.margin.resize(n_sets);
            hot().counts.bits_by_value(base, rows_, static_cast<std::uint32_t>(n_sets), words_, sets,
                                       column.margin.data());
            column.bits = sets;
        } else if (incomplete) {
            std::fill_n(missing, words_, std::uint64_t{0});
            for (std::size_t r = 0; r < rows_; ++r) missing[r / 64] |= std::uint64_t{codes[r] == states} << (r % 64);
        }
        for (std::size_t r = 0; incomplete && r < rows_; ++r)
            if (codes[r] == states) values[r] = 0;
        return values;
    };
    if (narrow)
        column.bytes = keep(base);
    else
        column.wide = keep(reinterpret_cast<std::uint32_t*>(base));
    column.missing = missing;
    has_gaps_ = has_gaps_ || incomplete;
    if (!column.bits || !weights_.empty()) {
        column.margin.assign(std::size_t{states} + incomplete, 0);
        for (std::size_t r = 0; r < rows_; ++r) column.margin[codes[r]] += weights_.empty() ? 1 : weights_[r];
    }
    column.margin.resize(states);  // missing values belong to no state
    for (const std::uint32_t n : column.margin) column.observed += n > 0;
    columns_.push_back(std::move(column));
}

template <class Code> void Columns::add_steps(std::uint32_t column, std::span<const Code> codes, std::uint32_t states,
                                                     bool gaps) {
    if (column >= size()) throw std::out_of_range(say("there is no column ", column, "; the data have ", size()));
    add(codes, states, gaps);
    steps_.resize(columns_.size());
    steps_[column] = std::make_unique<Column>(std::move(columns_.back()));
    columns_.pop_back();
}

void Columns::set_ordinal(std::uint32_t column) {
    if (column >= size()) throw std::out_of_range(say("there is no column ", column, "; the data have ", size()));
    columns_[column].ordinal = true;
}

template void Columns::add_steps<std::uint8_t>(std::uint32_t, std::span<const std::uint8_t>, std::uint32_t, bool);
template void Columns::add_steps<std::uint16_t>(std::uint32_t, std::span<const std::uint16_t>, std::uint32_t, bool);
template void Columns::add_steps<std::uint32_t>(std::uint32_t, std::span<const std::uint32_t>, std::uint32_t, bool);
template void Columns::add<std::uint8_t>(std::span<const std::uint8_t>, std::uint32_t, bool);
template void Columns::add<std::uint16_t>(std::span<const std::uint16_t>, std::uint32_t, bool);
template void Columns::add<std::uint32_t>(std::span<const std::uint32_t>, std::uint32_t, bool);

void Columns::finish() {
    if (size() > 1 && size() <= kMostCachedColumns)
        pairs_ = std::make_unique<std::atomic<const std::uint32_t*>[]>(size() * (size() - 1) / 2);
}

// The last state of each variable follows from the margins, so (ka-1)(kb-1) passes over the bits are enough; unless
// values are missing, as the margins then count other rows.
void Columns::count_pair(std::size_t a, std::size_t b, std::uint32_t* out) const {
    const Column &ca = columns_[a], &cb = columns_[b];
    const int ka = static_cast<int>(ca.states), kb = static_cast<int>(cb.states);
    if (!weights_.empty()) return count_weighted_pair(ca, cb, out);
    if (ca.missing || cb.missing) return hot().counts.pair_counts(ca.bits, ka, cb.bits, kb, words_, out);
    std::uint32_t inner[(kMostBitsetStates - 1) * (kMostBitsetStates - 1)];
    hot().counts.pair_counts(ca.bits, ka - 1, cb.bits, kb - 1, words_, inner);
    for (int j = 0; j < kb; ++j) out[(ka - 1) * kb + j] = cb.margin[static_cast<std::size_t>(j)];
    for (int i = 0; i < ka - 1; ++i) {
        std::uint32_t rest = ca.margin[static_cast<std::size_t>(i)];
        for (int j = 0; j < kb - 1; ++j) {
            const std::uint32_t n = inner[i * (kb - 1) + j];
            out[i * kb + j] = n;
            out[(ka - 1) * kb + j] -= n;
            rest -= n;
        }
        out[i * kb + kb - 1] = rest;
        out[(ka - 1) * kb + kb - 1] -= rest;
    }
}

void Columns::count_weighted_pair(const Column& a, const Column& b, std::uint32_t* out) const {
    std::fill_n(out, std::size_t{a.states} * b.states, 0);
    const auto absent = [](const Column& column, std::size_t r) {
        return column.missing && column.missing[r / 64] >> (r % 64) & 1;
    };
    const bool gaps = a.missing || b.missing;
    for (std::size_t r = 0; r < rows_; ++r)
        if (!gaps || !(absent(a, r) || absent(b, r))) out[a.bytes[r] * b.states + b.bytes[r]] += weights_[r];
}

const std::uint32_t* Columns::make_pair_table(std::size_t a, std::size_t b, std::vector<std::uint32_t>& scratch) const {
    const std::size_t cells = std::size_t{columns_[a].states} * columns_[b].states;
    if (!pairs_) {
        scratch.resize(cells);
        count_pair(a, b, scratch.data());
        return scratch.data();
    }
    auto* fresh = new std::uint32_t[cells];
    count_pair(a, b, fresh);
    const std::uint32_t* expected = nullptr;
    if (pairs_[pair_number(a, b)].compare_exchange_strong(expected, fresh, std::memory_order_acq_rel)) return fresh;
    delete[] fresh;  // another thread was faster, with the same numbers
    return expected;
}

}  // namespace paucal
