#include "data/counting.hpp"

#include <algorithm>
#include <bit>

#include "isa/isa.hpp"

namespace paucal {

// Numbers keys by first appearance. A table of direct addresses serves small ranges, open addressing the others;
// stamps make clearing free.
class Relabel {
public:
    explicit Relabel(std::size_t rows) : mask_(std::bit_ceil(2 * rows + 16) - 1) {}

    void begin(std::uint64_t range) {
        use_direct_ = range <= std::min(mask_ + 1, kMostDirect);
        if (use_direct_ && direct_.empty()) direct_.resize(std::min(mask_ + 1, kMostDirect));  // most never need either
        if (!use_direct_ && slots_.empty()) slots_.resize(mask_ + 1);
        next_ = 0;
        if (++stamp_ == 0) {  // after 2^32 uses the old stamps would look fresh
            for (auto& slot : slots_) slot.stamp = 0;
            for (auto& slot : direct_) slot.stamp = 0;
            stamp_ = 1;
        }
    }

    std::uint32_t operator()(std::uint64_t key) {
        if (use_direct_) {
            auto& slot = direct_[key];
            if (slot.stamp != stamp_) slot = {stamp_, next_++};
            return slot.id;
        }
        std::uint64_t h = key * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        for (std::size_t i = h & mask_;; i = (i + 1) & mask_) {
            auto& slot = slots_[i];
            if (slot.stamp != stamp_) {
                slot = {key, stamp_, next_};
                return next_++;
            }
            if (slot.key == key) return slot.id;
        }
    }

    std::uint32_t count() const { return next_; }

private:
    static constexpr std::size_t kMostDirect = 1 << 15;
    struct Slot {
        std::uint64_t key;
        std::uint32_t stamp, id;
    };
    struct Direct {
        std::uint32_t stamp, id;
    };
    std::vector<Slot> slots_;
    std::vector<Direct> direct_;
    std::size_t mask_;
    std::uint32_t stamp_ = 0, next_ = 0;
    bool use_direct_ = true;
};

namespace {

constexpr std::size_t kRowBlock = 4096;
constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

// Workspaces only grow: shrinking and growing again would clear memory that is about to be written anyway.
void room_for(std::vector<std::uint32_t>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer.resize(size);
}

// Rows to count: all of them, or those of a list.
struct AllRows {
    std::size_t n;
    std::size_t size() const { return n; }
    std::size_t operator[](std::size_t i) const { return i; }
};

// Calls f(row) for every row of a bitset from word `begin` to word `end`.
template <class F> void each_row(const std::vector<std::uint64_t>& bits, std::size_t begin, std::size_t end, F&& f) {
    for (std::size_t w = begin; w < end; ++w)
        for (std::uint64_t rest = bits[w]; rest; rest &= rest - 1)
            f(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
}

// Cells beyond this multiple of the rows are mostly zero: relabelling what occurs is cheaper than visiting them all.
std::size_t most_dense_cells(std::size_t rows) { return std::min<std::size_t>(65536, 8 * rows + 256); }

}  // namespace

bool Family::has(const std::vector<std::uint32_t>& columns) const {
    return std::includes(members.begin(), members.end(), columns.begin(), columns.end());
}

const std::uint8_t* Family::column(std::uint32_t variable) const {
    const auto at = std::lower_bound(members.begin(), members.end(), variable);
    if (at == members.end() || *at != variable) return nullptr;
    return bytes[static_cast<std::size_t>(at - members.begin())].data();
}

const std::uint64_t* Family::missing_of(std::uint32_t variable) const {
    const auto at = std::lower_bound(members.begin(), members.end(), variable);
    const auto& bits = missing[static_cast<std::size_t>(at - members.begin())];
    return bits.empty() ? nullptr : bits.data();
}

bool Counts::varies() const {
    bool rows = false, columns = false;
    if (!cells) {
        for (const std::uint32_t state : row_state) rows = rows || state != row_state[0];
        for (const std::uint32_t state : column_state) columns = columns || state != column_state[0];
        return rows && columns;
    }
    const std::size_t size = std::size_t{kx} * ky, n = strata * size;
    std::size_t first = 0;
    while (first < n && !cells[first]) ++first;
    for (std::size_t i = first; i < n; ++i)
        if (cells[i]) {
            rows = rows || i % size / ky != first % size / ky;
            columns = columns || i % ky != first % ky;
        }
    return rows && columns;
}

Counter::Counter(const Columns& columns)
    : columns_(columns), index_(kRowBlock), relabel_(std::make_unique<Relabel>(columns.rows())) {}

Counter::~Counter() = default;

Counts& Counter::count(const Question& q, const Family* family) {
    const Column &x = columns_[q.x], &y = columns_[q.y];
    counts_.total = static_cast<std::uint32_t>(columns_.samples());
    counts_.kx = x.states;
    counts_.ky = y.states;
    counts_.order = q.order;
    counts_.ordinal_x = x.ordinal;
    counts_.ordinal_y = y.ordinal;
    counts_.configurations = 1;
    bool bits = x.bits && y.bits, gaps = false;
    if (columns_.has_gaps()) [[unlikely]] {
        gaps = has_gaps(q);
        if (gaps) find_incomplete(q, family);
    }
    if (q.order == 0 && bits) {
        counts_.strata = 1;
        counts_.cells = columns_.pair_table(q.x, q.y, scratch_);
        return counts_;
    }
    bool bytes = x.bytes && y.bytes;
    for (int i = 0; i < q.order; ++i) {
        const Column& z = columns_.given(q.z[i]);
        counts_.configurations *= z.states;
        bytes = bytes && z.bytes;
        bits = bits && z.bits && !columns_.has_steps(q.z[i]);  // pair tables are those of the columns themselves
    }
    // Dense or not must not depend on the family: sums over the two forms differ in their last bits.
    const double cells = counts_.configurations * x.states * y.states;
    if (!bytes || cells > static_cast<double>(most_dense_cells(counts_.total)))
        return gaps ? relabelled(q, family, complete_) : relabelled(q, family, AllRows{rows_of(family)});
    if (gaps || !bits || columns_.weights() || q.order > kMostBitColumns - 2 || !count_bits(q, rows_of(family)))
        count_rows(q, static_cast<std::size_t>(cells), family, gaps);
    return counts_;
}

bool Counter::has_gaps(const Question& q) const {
    bool found = columns_[q.x].missing || columns_[q.y].missing;
    for (int i = 0; i < q.order; ++i) found = found || columns_[q.z[i]].missing;
    return found;
}

// The rows that lack a value of the question, those that have all, and how many samples these are.
void Counter::find_incomplete(const Question& q, const Family* family) {
    const std::size_t rows = rows_of(family), words = (rows + 63) / 64;
    incomplete_.assign(words, 0);
    const auto add = [&](std::uint32_t v) {
        if (const std::uint64_t* missing = family ? family->missing_of(v) : columns_[v].missing)
            for (std::size_t w = 0; w < words; ++w) incomplete_[w] |= missing[w];
    };
    add(q.x), add(q.y);
    for (int i = 0; i < q.order; ++i) add(q.z[i]);
    complete_.clear();
    counts_.total = 0;
    const std::uint32_t* weight = weights_of(family);
    for (std::size_t r = 0; r < rows; ++r)
        if (!(incomplete_[r / 64] >> (r % 64) & 1)) {
            complete_.push_back(static_cast<std::uint32_t>(r));
            counts_.total += weight ? weight[r] : 1;
        }
}

namespace {

// From "any state" to the last state, column by column: conditioners first, then x and y. The last of the tables of x
// and y has been settled already.
template <int KX, int KY> void settle_last_states(std::uint32_t* out, const BitColumn* columns, int order) {
    const std::uint32_t kx = KX ? KX : columns[order].states, ky = KY ? KY : columns[order + 1].states, size = kx * ky;
    std::uint32_t* end = out + std::size_t{columns->states} * columns->step;
    for (std::uint32_t* table = out; table != end - size; table += size) {
        std::uint32_t* bottom = table + size - ky;
        for (std::uint32_t* row = table; row <= bottom; row += ky)
            for (std::uint32_t j = 0; j + 1 < ky; ++j) row[ky - 1] -= row[j];
        for (const std::uint32_t* row = table; row < bottom; row += ky)
            for (std::uint32_t j = 0; j < ky; ++j) bottom[j] -= row[j];
    }
    for (const BitColumn* z = columns; z < columns + order; ++z)
        for (std::uint32_t* group = out; group != end;) {
            std::uint32_t* rest = group + (z->states - 1) * z->step;
            for (; group != rest; group += z->step)
                for (std::uint32_t start = 0; start < z->step; start += size)
                    for (std::uint32_t c = start; c < start + size; ++c) rest[c] -= group[c];
            group += z->step;
        }
}

}  // namespace

// What the two ways to fill a dense table take, about, as measured.
double Counter::cycles_by_bits(const Question& q) const {
    double cells = 1, inner = 0, squares = 0;
    const auto add = [&](std::uint32_t v) {
        const double states = columns_[v].states;
        cells *= states, inner += states - 1, squares += (states - 1) * (states - 1);
    };
    add(q.x), add(q.y);
    for (int i = 0; i < q.order; ++i) add(q.z[i]);
    const double pairs = (inner * inner - squares) / 2;
    const double passes = cells - 1 - inner - (columns_.keeps_pairs() ? pairs : 0);
    return passes * (20 + hot().counts.cycles_per_word * static_cast<double>(columns_.words())) + 4 * cells;
}

namespace {

double cycles_by_rows(std::size_t rows, double cells) { return 1.6 * static_cast<double>(rows) + 2 * cells; }

}  // namespace

// The table is filled as if the last state of every column meant "any state". Then all of it follows from population
// counts, pair tables and margins, and a last state is what the other states leave of "any". Does nothing, and says so,
// if going through so many rows is cheaper.
bool Counter::count_bits(const Question& q, std::size_t rows) {
    BitColumn bits[kMostBitColumns];  // the outermost first
    const int n = q.order + 2;
    std::uint32_t cells = 1;
    for (int i = n; i-- > 0;) {
        const Column& column = columns_[i == n - 1 ? q.y : i == n - 2 ? q.x : q.z[n - 3 - i]];
        bits[i] = {column.bits, column.states, cells};
        cells *= column.states;
    }
    if (cycles_by_bits(q) > cycles_by_rows(rows, cells)) return false;

    const std::uint32_t kx = counts_.kx, ky = counts_.ky, size = kx * ky;
    room_for(dense_, cells);
    std::uint32_t *out = dense_.data(), *last = out + cells - size;
    std::fill_n(out, cells, 0);
    hot().counts.joint_counts(bits, n, columns_.words(), out);
    std::copy_n(columns_.pair_table(q.x, q.y, scratch_), size, last);
    for (int a = 0; a < q.order; ++a) {
        const std::uint32_t v = q.z[a], kz = columns_[v].states, step = bits[n - 3 - a].step;
        std::uint32_t* first = last - (kz - 1) * step;  // the cells of its first state, the other conditioners free
        const auto fill = [&](std::uint32_t w, std::uint32_t states, std::uint32_t w_step, std::uint32_t* at) {
            const std::uint32_t* table = columns_.pair_table(std::min(v, w), std::max(v, w), scratch_);
            const std::uint32_t by_z = v < w ? states : 1, by_w = v < w ? 1 : kz;  // kept for one order only
            for (std::uint32_t s = 0; s + 1 < kz; ++s)
                for (std::uint32_t i = 0; i + 1 < states; ++i)
                    at[s * step + i * w_step] = table[s * by_z + i * by_w];
        };
        fill(q.x, kx, ky, first + ky - 1);
        fill(q.y, ky, 1, first + size - ky);
        for (int b = 0; b < a; ++b) {
            const std::uint32_t states = columns_[q.z[b]].states, b_step = bits[n - 3 - b].step;
            fill(q.z[b], states, b_step, first + size - 1 - (states - 1) * b_step);
        }
        for (std::uint32_t s = 0; s + 1 < kz; ++s) first[s * step + size - 1] = columns_[v].margin[s];
    }
    with_shape(kx, ky, [&]<int KX, int KY>() { settle_last_states<KX, KY>(out, bits, q.order); });
    counts_.strata = cells / size;
    counts_.cells = out;
    return true;
}

void Counter::count_rows(const Question& q, std::size_t cells, const Family* family, bool gaps) {
    const std::uint8_t* columns[64];  // 65536 cells leave room for 16 binary conditioners; constant ones are skipped
    std::uint16_t strides[64];
    int used = 0;
    const auto bytes_of = [&](std::uint32_t v) { return family ? family->column(v) : columns_[v].bytes; };
    columns[used] = bytes_of(q.y), strides[used++] = 1;
    columns[used] = bytes_of(q.x), strides[used++] = static_cast<std::uint16_t>(counts_.ky);
    std::size_t stride = std::size_t{counts_.kx} * counts_.ky;
    for (int i = 0; i < q.order; ++i) {
        const Column& z = columns_.given(q.z[i]);
        const std::uint32_t states = z.states;
        if (states > 1) columns[used] = family ? family->column(q.z[i]) : z.bytes, strides[used++] = static_cast<std::uint16_t>(stride);
        stride *= states;
    }

    const std::size_t rows = rows_of(family);
    const std::uint32_t* weights = weights_of(family);
    // Successive increments of one counter wait for each other; several arrays of counters do not.
    const std::size_t arrays = weights ? 1 : 16 * cells < rows ? 4 : cells < rows ? 2 : 1;
    room_for(dense_, arrays * cells);
    std::uint32_t* n = dense_.data();
    std::fill_n(n, arrays * cells, 0);
    const std::uint16_t* index = index_.data();
    for (std::size_t start = 0; start < rows; start += kRowBlock) {
        const std::size_t length = std::min(kRowBlock, rows - start);
        hot().counts.row_index(columns, strides, used, length, index_.data());
        if (weights) {
            const std::uint32_t* weight = weights + start;
            for (std::size_t r = 0; r < length; ++r) n[index[r]] += weight[r];
        } else {
            std::uint32_t *n1 = n + 1 % arrays * cells, *n2 = n + 2 % arrays * cells, *n3 = n + 3 % arrays * cells;
            std::size_t r = 0;
            for (; r + 4 <= length; r += 4) {
                ++n[index[r]];
                ++n1[index[r + 1]];
                ++n2[index[r + 2]];
                ++n3[index[r + 3]];
            }
            for (; r < length; ++r) ++n[index[r]];
        }
        if (gaps)  // what the incomplete rows have added is taken off again; of their missing values the code is 0
            each_row(incomplete_, start / 64, (start + length + 63) / 64,
                     [&](std::size_t r) { n[index[r - start]] -= weights ? weights[r] : 1; });
        for (int c = 0; c < used; ++c) columns[c] += length;
    }
    for (std::size_t a = 1; a < arrays; ++a)
        for (std::size_t c = 0; c < cells; ++c) n[c] += n[a * cells + c];
    counts_.strata = cells / (std::size_t{counts_.kx} * counts_.ky);
    counts_.cells = n;
}

// Fills stratum_ with the number of each row's configuration and returns how many there are.
template <class Rows>
std::uint32_t Counter::relabel_strata(const Question& q, const Family* family, const Rows& rows) {
    const std::size_t n = rows.size();
    stratum_.assign(n, 0);
    if (q.order == 0) return 1;
    code_.assign(n, 0);
    std::uint64_t range = 1;
    for (int i = 0; i < q.order; ++i) {
        const Column& z = columns_.given(q.z[i]);
        if (range > (std::uint64_t{1} << 62) / z.states) {  // the code would not fit: number what has occurred so far
            relabel_->begin(range);
            for (std::size_t r = 0; r < n; ++r) code_[r] = (*relabel_)(code_[r]);
            range = relabel_->count();
        }
        if (const std::uint8_t* bytes = family ? family->column(q.z[i]) : z.bytes)
            for (std::size_t r = 0; r < n; ++r) code_[r] = code_[r] * z.states + bytes[rows[r]];
        else
            for (std::size_t r = 0; r < n; ++r) code_[r] = code_[r] * z.states + z.wide[rows[r]];
        range *= z.states;
    }
    relabel_->begin(range);
    for (std::size_t r = 0; r < n; ++r) stratum_[r] = (*relabel_)(code_[r]);
    return relabel_->count();
}

Counts& Counter::count_relabelled(const Question& q, const Family* family) {
    if (!columns_.has_gaps() || !has_gaps(q)) return relabelled(q, family, AllRows{rows_of(family)});
    find_incomplete(q, family);
    return relabelled(q, family, complete_);
}

template <class Rows> Counts& Counter::relabelled(const Question& q, const Family* family, const Rows& rows) {
    const std::size_t n = rows.size();
    const std::uint32_t strata = relabel_strata(q, family, rows);
    Counts& out = counts_;
    out.cells = nullptr;
    out.strata = strata;
    out.stratum_total.assign(strata, 0);
    out.first_row.assign(strata, kNowhere);
    const std::uint32_t* weights = weights_of(family);
    const auto weight = [&](std::size_t i) { return weights ? weights[rows[i]] : 1; };
    const auto value = [&](std::uint32_t v) {
        const std::uint8_t* bytes = family ? family->column(v) : columns_[v].bytes;
        const std::uint32_t* wide = columns_[v].wide;
        return [bytes, wide, &rows](std::size_t i) { return bytes ? bytes[rows[i]] : wide[rows[i]]; };
    };
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t s = stratum_[i];
        out.stratum_total[s] += weight(i);
        if (out.first_row[s] == kNowhere) out.first_row[s] = static_cast<std::uint32_t>(rows[i]);
    }

    // Margins: number the (stratum, state) pairs, then move them next to their stratum.
    const auto margins = [&](std::uint32_t v, std::vector<std::uint32_t>& number_of,
                             std::vector<std::uint32_t>& begin, std::vector<std::uint32_t>& margin,
                             std::vector<std::uint32_t>& state) {
        const auto at = value(v);
        const std::uint64_t states = columns_[v].states;
        number_of.resize(n);
        relabel_->begin(strata * states);
        begin.assign(std::size_t{strata} + 1, 0);
        for (std::size_t i = 0; i < n; ++i) {
            const std::uint32_t before = relabel_->count();
            number_of[i] = (*relabel_)(stratum_[i] * states + at(i));
            if (number_of[i] == before) ++begin[stratum_[i] + 1];
        }
        const std::uint32_t found = relabel_->count();
        for (std::uint32_t s = 0; s < strata; ++s) begin[s + 1] += begin[s];
        next_.assign(begin.begin(), begin.end() - 1);
        place_.assign(found, kNowhere);
        margin.assign(found, 0);
        state.resize(found);
        for (std::size_t i = 0; i < n; ++i) {
            std::uint32_t& p = place_[number_of[i]];
            if (p == kNowhere) {
                p = next_[stratum_[i]]++;
                state[p] = at(i);
            }
            margin[p] += weight(i);
            number_of[i] = p;
        }
    };
    margins(q.x, row_of_, out.row_begin, out.row_margin, out.row_state);
    margins(q.y, column_of_, out.column_begin, out.column_margin, out.column_state);

    // Cells: number the (row, column) pairs; a row number already says its stratum.
    const auto y = value(q.y);
    const std::uint64_t ky = columns_[q.y].states;
    cell_of_.resize(n);
    relabel_->begin(out.row_margin.size() * ky);
    out.cell_begin.assign(std::size_t{strata} + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t before = relabel_->count();
        cell_of_[i] = (*relabel_)(row_of_[i] * ky + y(i));
        if (cell_of_[i] == before) ++out.cell_begin[stratum_[i] + 1];
    }
    const std::uint32_t cells = relabel_->count();
    for (std::uint32_t s = 0; s < strata; ++s) out.cell_begin[s + 1] += out.cell_begin[s];
    next_.assign(out.cell_begin.begin(), out.cell_begin.end() - 1);
    place_.assign(cells, kNowhere);
    out.count.assign(cells, 0);
    out.row.resize(cells);
    out.column.resize(cells);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint32_t s = stratum_[i];
        std::uint32_t& p = place_[cell_of_[i]];
        if (p == kNowhere) {
            p = next_[s]++;
            out.row[p] = row_of_[i] - out.row_begin[s];
            out.column[p] = column_of_[i] - out.column_begin[s];
        }
        out.count[p] += weight(i);
    }
    return out;
}

// All configurations of these columns, or 0 if some question about them might not be counted densely, or has gaps.
std::size_t Counter::dense_cells(const std::vector<std::uint32_t>& members) const {
    double cells = members.size() < 2 || columns_.has_gaps() ? 0 : 1;
    for (const std::uint32_t v : members) cells *= columns_[v].bytes && !columns_.has_steps(v) ? columns_[v].states : 0;
    return cells <= static_cast<double>(most_dense_cells(columns_.samples())) ? static_cast<std::size_t>(cells) : 0;
}

Family Counter::merge_for(const Question& q, std::size_t questions, const std::vector<std::uint32_t>& members) {
    Family none;
    none.worthwhile = false;
    const std::size_t cells = dense_cells(members);
    if (cells == 0) return none;
    double own_cells = columns_[q.x].states * columns_[q.y].states;
    for (int i = 0; i < q.order; ++i) own_cells *= columns_[q.z[i]].states;
    double one = cycles_by_rows(columns_.rows(), own_cells);
    if (q.order <= kMostBitColumns - 2 && !columns_.weights()) one = std::min(one, cycles_by_bits(q));
    const double merging = cycles_by_rows(columns_.rows(), 2. * static_cast<double>(cells)) +
                           10. * static_cast<double>(std::min(cells, columns_.rows()));
    return static_cast<double>(questions) * one > merging ? merge_densely(members, cells) : none;
}

// A table of all configurations; those that occur are the rows. In which order they come does not matter, as every
// question about these columns is counted densely.
Family Counter::merge_densely(const std::vector<std::uint32_t>& members, std::size_t cells) {
    const Question q{members[1], members[0], members.data() + 2, static_cast<int>(members.size()) - 2};
    counts_.kx = columns_[q.x].states, counts_.ky = columns_[q.y].states;
    count_rows(q, cells, nullptr, false);
    room_for(place_, cells);
    room_for(next_, cells);
    std::uint32_t *code = place_.data(), *weight = next_.data();
    std::size_t distinct = 0;
    for (std::size_t c = 0; c < cells; ++c) {  // without branches: empty cells come as they like
        const std::uint32_t n = counts_.cells[c];
        code[distinct] = static_cast<std::uint32_t>(c), weight[distinct] = n;
        distinct += n > 0;
    }
    Family family;
    family.members = members;
    family.worthwhile = distinct <= columns_.rows() / 2;
    if (!family.worthwhile) return family;
    family.weight.assign(weight, weight + distinct);
    family.missing.resize(members.size());
    for (const std::uint32_t v : members) {
        const std::uint32_t states = columns_[v].states;
        const std::uint64_t inverse = (1 << 24) / states + 1;  // exact for codes below 2^16 and up to 2^8 states
        auto& column = family.bytes.emplace_back(distinct + 64);  // padded like the columns
        std::uint8_t* state = column.data();
        for (std::size_t i = 0; i < distinct; ++i) {
            const auto rest = static_cast<std::uint32_t>(code[i] * inverse >> 24);
            state[i] = static_cast<std::uint8_t>(code[i] - rest * states);
            code[i] = rest;
        }
    }
    return family;
}

Family Counter::merge(const std::vector<std::uint32_t>& members) {
    if (const std::size_t cells = dense_cells(members); cells > 0 && cells <= 4 * columns_.rows())
        return merge_densely(members, cells);
    Family family;
    family.members = members;
    const std::size_t rows = columns_.rows();
    const Question q{0, 0, members.data(), static_cast<int>(members.size())};
    std::uint32_t distinct = relabel_strata(q, nullptr, AllRows{rows});
    if (columns_.has_gaps())
        for (const std::uint32_t v : members) {  // rows that lack different values are different rows
            const std::uint64_t* missing = columns_[v].missing;
            if (!missing) continue;
            relabel_->begin(2 * std::uint64_t{distinct});
            for (std::size_t r = 0; r < rows; ++r)
                stratum_[r] = (*relabel_)(2 * std::uint64_t{stratum_[r]} + (missing[r / 64] >> (r % 64) & 1));
            distinct = relabel_->count();
        }
    if (distinct > rows / 2) {
        family.worthwhile = false;
        return family;
    }
    family.weight.assign(distinct, 0);
    std::vector<std::uint32_t> first(distinct);
    const std::uint32_t* weights = columns_.weights();
    for (std::size_t r = 0; r < rows; ++r) {
        std::uint32_t& weight = family.weight[stratum_[r]];
        if (weight == 0) first[stratum_[r]] = static_cast<std::uint32_t>(r);
        weight += weights ? weights[r] : 1;
    }
    for (const std::uint32_t v : members) {
        auto& column = family.bytes.emplace_back(std::size_t{distinct} + 64);  // padded like the columns
        for (std::uint32_t i = 0; i < distinct; ++i) column[i] = columns_[v].bytes[first[i]];
        auto& missing = family.missing.emplace_back();
        if (const std::uint64_t* bits = columns_[v].missing) {
            missing.assign((std::size_t{distinct} + 63) / 64, 0);
            for (std::uint32_t i = 0; i < distinct; ++i)
                missing[i / 64] |= (bits[first[i] / 64] >> (first[i] % 64) & 1) << (i % 64);
        }
    }
    return family;
}

}  // namespace paucal
