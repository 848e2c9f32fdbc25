// From a question (x, y | z) to its counts. Four ways, all exact, chosen by cost:
//   bits, no conditioner      the pair table of the two columns
//   bits, few conditioners    population counts of the inner cells, the rest from pair tables and margins
//   rows                      one index per row, then increments; also on merged rows, and data, with weights
//   relabelled                when cells far outnumber rows: only what occurs is ever stored
// Where values are missing, the rows that have all values of the question are counted, as if there were no others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "data/columns.hpp"

namespace paucal {

// Canonical: x < y and z ascending, so that a question has one answer to the last bit however it was asked.
struct Question {
    std::uint32_t x, y;
    const std::uint32_t* z;
    int order;
};

// The positive cells of one stratum, with its positive margins. Rows and columns nobody observed are not in it.
struct Slice {
    std::uint32_t total;
    std::uint32_t n_rows, n_columns, n_cells;
    const std::uint32_t *row_margin, *column_margin;
    const std::uint32_t *count, *row, *column;  // per cell
};

// Counts of one question. Either dense (`cells` holds every configuration, row-major) or relabelled.
struct Counts {
    std::uint32_t total = 0, kx = 0, ky = 0;
    int order = 0;
    bool ordinal_x = false, ordinal_y = false;  // whether the levels stand in an order that means something
    double configurations = 1;  // of the conditioners, observed or not
    std::size_t strata = 0;     // dense: all configurations; relabelled: the observed ones
    const std::uint32_t* cells = nullptr;

    // relabelled form, grouped by stratum
    std::vector<std::uint32_t> count, row, column, row_margin, column_margin;
    std::vector<std::uint32_t> cell_begin, row_begin, column_begin, stratum_total, first_row;
    std::vector<std::uint32_t> row_state, column_state;  // the levels behind row and column numbers

    // Calls f(Slice) for every stratum that has rows.
    template <class F> void each_slice(F&& f);

    // The same in more code and less time, for the statistics that searches ask for most.
    template <class F> void each_slice_by_shape(F&& f);

    // Whether both columns have two observed levels.
    bool varies() const;

    // Calls f(samples) for every stratum that has rows.
    template <class F> void each_total(F&& f) const {
        const std::size_t size = std::size_t{kx} * ky;
        for (std::size_t s = 0; s < strata; ++s) {
            std::uint32_t total = 0;
            if (!cells)
                total = stratum_total[s];
            else
                for (const std::uint32_t *cell = cells + s * size, *end = cell + size; cell != end; ++cell) total += *cell;
            if (total > 0) f(total);
        }
    }

private:
    template <class F> void each_relabelled_slice(F&& f);
    template <int KX, int KY, class F> void each_dense_slice(F&& f);

    std::vector<std::uint32_t> scratch_;
};

// Rows over a few columns, identical ones merged: tests inside one neighbourhood cost its distinct rows, not N.
struct Family {
    std::vector<std::uint32_t> members;  // ascending
    std::vector<std::vector<std::uint8_t>> bytes;
    std::vector<std::vector<std::uint64_t>> missing;  // bitsets as in `Column`; empty if every row has a value
    std::vector<std::uint32_t> weight;
    bool worthwhile = true;

    bool has(const std::vector<std::uint32_t>& columns) const;  // ascending as well
    const std::uint8_t* column(std::uint32_t variable) const;   // null if not a member
    const std::uint64_t* missing_of(std::uint32_t variable) const;
};

// Calls f<kx, ky>() for the shapes that most questions have, so that its loops are unrolled; f<0, 0>() for all others.
template <class F> auto with_shape(std::uint32_t kx, std::uint32_t ky, F&& f) {
    switch (kx <= 4 && ky <= 4 ? kx * 8 + ky : 0) {
        case 2 * 8 + 2: return f.template operator()<2, 2>();
        case 2 * 8 + 3: return f.template operator()<2, 3>();
        case 2 * 8 + 4: return f.template operator()<2, 4>();
        case 3 * 8 + 2: return f.template operator()<3, 2>();
        case 3 * 8 + 3: return f.template operator()<3, 3>();
        case 3 * 8 + 4: return f.template operator()<3, 4>();
        case 4 * 8 + 2: return f.template operator()<4, 2>();
        case 4 * 8 + 3: return f.template operator()<4, 3>();
        case 4 * 8 + 4: return f.template operator()<4, 4>();
        default: return f.template operator()<0, 0>();
    }
}

class Relabel;

// One thread's workspace.
class Counter {
public:
    explicit Counter(const Columns& columns);
    ~Counter();
    Counts& count(const Question& question, const Family* family = nullptr);
    Family merge(const std::vector<std::uint32_t>& members);
    // Merges the rows of a few columns if that costs less than so many questions like this one; else not worthwhile.
    Family merge_for(const Question& question, std::size_t questions, const std::vector<std::uint32_t>& members);

    // Forces the relabelled form: what `Columns.count` hands to Python.
    Counts& count_relabelled(const Question& question, const Family* family = nullptr);

private:
    bool count_bits(const Question& question, std::size_t rows);
    double cycles_by_bits(const Question& question) const;
    std::size_t dense_cells(const std::vector<std::uint32_t>& members) const;
    Family merge_densely(const std::vector<std::uint32_t>& members, std::size_t cells);
    void count_rows(const Question& question, std::size_t cells, const Family* family, bool gaps);
    template <class Rows>
    std::uint32_t relabel_strata(const Question& question, const Family* family, const Rows& rows);
    template <class Rows> Counts& relabelled(const Question& question, const Family* family, const Rows& rows);
    bool has_gaps(const Question& question) const;
    void find_incomplete(const Question& question, const Family* family);
    std::size_t rows_of(const Family* family) const { return family ? family->weight.size() : columns_.rows(); }
    const std::uint32_t* weights_of(const Family* family) const {  // null if every row is one sample
        return family ? family->weight.data() : columns_.weights();
    }

    const Columns& columns_;
    Counts counts_;
    std::vector<std::uint32_t> dense_, scratch_;
    std::vector<std::uint16_t> index_;
    std::vector<std::uint64_t> code_;
    std::vector<std::uint32_t> stratum_, row_of_, column_of_, cell_of_, next_, place_, complete_;
    std::vector<std::uint64_t> incomplete_;  // the rows that lack a value of the question at hand
    std::unique_ptr<Relabel> relabel_;
};

template <class F> void Counts::each_slice(F&& f) {
    if (cells)
        each_dense_slice<0, 0>(f);
    else
        each_relabelled_slice(f);
}

template <class F> void Counts::each_slice_by_shape(F&& f) {
    if (cells)
        with_shape(kx, ky, [&]<int KX, int KY>() { each_dense_slice<KX, KY>(f); });
    else
        each_relabelled_slice(f);
}

template <class F> void Counts::each_relabelled_slice(F&& f) {
    for (std::size_t s = 0; s < strata; ++s) {
        f(Slice{stratum_total[s], row_begin[s + 1] - row_begin[s], column_begin[s + 1] - column_begin[s],
                cell_begin[s + 1] - cell_begin[s], row_margin.data() + row_begin[s],
                column_margin.data() + column_begin[s], count.data() + cell_begin[s], row.data() + cell_begin[s],
                column.data() + cell_begin[s]});
    }
}

template <int KX, int KY, class F> void Counts::each_dense_slice(F&& f) {
    const std::uint32_t rows_x = KX ? KX : kx, columns_y = KY ? KY : ky;
    const std::size_t size = std::size_t{rows_x} * columns_y;
    const std::size_t needed = 3 * size + 2 * (std::size_t{rows_x} + columns_y);
    std::uint32_t few[KX ? 3 * KX * KY + 2 * (KX + KY) : 1], *n = few;
    if constexpr (KX == 0) {
        if (scratch_.size() < needed) scratch_.resize(needed);
        n = scratch_.data();
    }
    std::uint32_t *r = n + size, *c = r + size, *rows = c + size, *columns = rows + rows_x, *new_column = columns + columns_y;
    for (std::size_t s = 0; s < strata; ++s) {
        const std::uint32_t* table = cells + s * size;
        std::uint32_t sum = 0, used = 0, n_columns = 0, n_rows = 0;
        if constexpr (KX > 0) {  // if there are many strata, most are empty
            for (std::size_t i = 0; i < size; ++i) sum += table[i];
            if (!sum) continue;
            sum = 0;
        }
        for (std::uint32_t j = 0; j < columns_y; ++j) {
            std::uint32_t margin = 0;
            for (std::uint32_t i = 0; i < rows_x; ++i) margin += table[i * columns_y + j];
            new_column[j] = n_columns;
            columns[n_columns] = margin;
            n_columns += margin > 0;
            sum += margin;
        }
        if (!sum) continue;
        for (std::uint32_t i = 0; i < rows_x; ++i) {
            std::uint32_t margin = 0;
            for (std::uint32_t j = 0; j < columns_y; ++j) {  // without branches: empty cells come as they like
                const std::uint32_t m = table[i * columns_y + j];
                n[used] = m, r[used] = n_rows, c[used] = new_column[j];
                used += m > 0;
                margin += m;
            }
            rows[n_rows] = margin;
            n_rows += margin > 0;
        }
        f(Slice{sum, n_rows, n_columns, used, rows, columns, n, r, c});
    }
}

}  // namespace paucal
