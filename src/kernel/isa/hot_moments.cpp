// Compiled once per instruction set; PAUCAL_ISA is the suffix of the table defined here. Raw pointers and built-ins only,
// for the reason given in hot_counts.cpp. Compiled without fused operations, so that all instruction sets give the same bits.
//
// The closed forms are those of Kazi-Aoual, Hitier, Sabatier and Lebreton (1995). The matrices of the two variables are
// freed of their mean eigenvalue before the formulas are applied. That takes nothing from T but its mean, removes more
// than half of the terms, and what is left does not cancel, whatever the margins.
#include "isa/hot_moments.hpp"

#include "isa/four.hpp"

#define PAUCAL_JOIN_(a, b) a##b
#define PAUCAL_JOIN(a, b) PAUCAL_JOIN_(a, b)

namespace paucal {
namespace {

inline Four load(const PerStratum& from) {
    Four v;
    __builtin_memcpy(&v, &from, sizeof v);
    return v;
}

inline void store(Four v, PerStratum& to) { __builtin_memcpy(&to, &v, sizeof v); }

inline Four all(double v) { return Four{v, v, v, v}; }

// The same number of the rows and of the columns, in four strata. What is computed for both at once need not wait for
// itself.
struct Both {
    Four row, column;

    friend Both operator+(Both a, Both b) { return {a.row + b.row, a.column + b.column}; }
    friend Both operator-(Both a, Both b) { return {a.row - b.row, a.column - b.column}; }
    friend Both operator*(Both a, Both b) { return {a.row * b.row, a.column * b.column}; }
    friend Both operator+(Both a, Four b) { return {a.row + b, a.column + b}; }
    friend Both operator*(Four a, Both b) { return {a * b.row, a * b.column}; }
    friend Both operator-(Both a, double b) { return {a.row - b, a.column - b}; }
    friend Both operator-(double a, Both b) { return {a - b.row, a - b.column}; }
    friend Both operator*(double a, Both b) { return {a * b.row, a * b.column}; }
    friend Both operator/(double a, Both b) { return {a / b.row, a / b.column}; }
    friend Both smaller(Both a, Both b) { return {paucal::smaller(a.row, b.row), paucal::smaller(a.column, b.column)}; }
    friend Both larger(Both a, Both b) { return {paucal::larger(a.row, b.row), paucal::larger(a.column, b.column)}; }
    void operator+=(Both b) { *this = *this + b; }
};

inline Both load(const PerMargin& from) { return {load(from.row), load(from.column)}; }
inline void store(Both v, PerMargin& to) { store(v.row, to.row), store(v.column, to.column); }

// Four strata need Both of everything. For one stratum a Four will do, with rows and columns in lanes of their own. The
// formulas are written for any of the two.
struct FourAtOnce {
    using Number = Both;
    using Stored = PerMargin;
    static Both all(double v) { return {paucal::all(v), paucal::all(v)}; }
    static Both from(Both v) { return v; }
    static Both apart(Both v) { return v; }
};

struct OneAlone {
    using Number = Four;
    using Stored = PerStratum;
    static Four all(double v) { return paucal::all(v); }
    static Four from(Both v) { return Four{v.row[0], v.column[0], v.row[0], v.column[0]}; }
    static Both apart(Four v) { return {all(v[0]), all(v[1])}; }
};

template <class Way> struct Margins {
    const typename Way::Stored* count;  // samples per level
    typename Way::Stored* weight;       // 1 / (samples + beta)
    std::uint32_t levels;
};

struct Total {
    Four n, share, beta;  // samples, 1 / n, smoothing

    explicit Total(Four samples) : n(samples), share(1 / n) {
        const Four tenth = n / 10;
        beta = Four{__builtin_sqrt(tenth[0]), __builtin_sqrt(tenth[1]), __builtin_sqrt(tenth[2]),
                    __builtin_sqrt(tenth[3])};
    }
};

// What the cumulants need to know of a variable: traces of powers and sums over entries of its centred matrix, named as
// in the closed forms. T is taken before the matrix is centred.
template <class V> struct Invariants {
    V T, T2, T3, S2, S3, R, U, B;
};

// Samples of the same level have the same rows, so all sums run over levels. Levels that nobody has add nothing.
template <class Way> inline auto invariants(const Margins<Way>& margins, const Total& total) {
    using V = typename Way::Number;
    const Four n = total.n, share = total.share;
    V T = Way::all(0), g2 = T, g3 = T, ag = T, ag2 = T, ag3 = T;
    for (std::uint32_t i = 0; i < margins.levels; ++i) {
        const V a = load(margins.count[i]), g = a * load(margins.weight[i]), g_g = g * g, a_g = a * g;
        T += n * g - a_g;
        g2 += g_g;
        g3 += g_g * g;
        ag += a_g;
        ag2 += a_g * g;
        ag3 += a_g * g_g;
    }
    T = share * T;
    const V mean = 1 / (n - 1) * T;  // eigenvalue
    const V s1 = share * ag, s2 = share * ag2, s3 = share * ag3;
    const V q1 = s1, q2 = share * s2, q3 = share * share * s3;
    const V trace2 = g2 - 2 * s2 + s1 * s1;
    const V trace3 = g3 - 3 * s3 + 3 * s1 * s2 - s1 * s1 * s1;
    const V base = share * (s1 + mean);
    V T2 = Way::all(0), S2 = T2, S3 = T2, R = T2, U = T2, B = T2;
    for (std::uint32_t i = 0; i < margins.levels; ++i) {
        const V a = load(margins.count[i]), w = load(margins.weight[i]), q = share * a * w;
        // Entries of a row: x - q' with a sample of another level, `same` with one of its own, `self` on the diagonal;
        // the first form would give `other` for its own level.
        const V x = base - q, other = x - q, same = w + other, self = same - mean;
        const V x2 = x * x, other2 = other * other, same2 = same * same, self2 = self * self;
        const V squares = n * x2 - 2 * x * q1 + q2 - a * other2 + (a - 1) * same2 + self2;
        const V cubes = n * x2 * x - 3 * x2 * q1 + 3 * x * q2 - q3 - a * other2 * other + (a - 1) * same2 * same +
                           self2 * self;
        const V a_self = a * self;
        T2 += a * squares;
        S2 += a_self * self;
        S3 += a_self * self2;
        R += a_self * squares;
        U += a * cubes;
        B += a_self * a_self * w;
    }
    return Invariants<V>{T, T2, trace3 - 3 * mean * trace2 + 2 * mean * mean * T, S2, S3, R, U, B - mean * S2};
}

// Cumulants of tr(A P B P') for n >= 6, times powers of n; `product` is one of rows and columns, `mixed` the sum of two.
inline void cumulants(Four n, const Invariants<Both>& of, FourStrata* out) {
    const auto product = [](const Both& v) { return v.row * v.column; };
    const auto mixed = [](const Both& v, const Both& w) { return v.row * w.column + w.row * v.column; };
    const auto& [T, T2, T3, S2, S3, R, U, B] = of;
    const Four n2 = n * n, n3 = n2 * n, n4 = n2 * n2, falling4 = n * (n - 1) * (n - 2) * (n - 3);
    const Four variance = 2 * product(T2) / ((n + 1) * (n - 2)) +
                          product(n * (n + 1) * S2 - 2 * (n - 1) * T2) / ((n + 1) * falling4);
    const Four third =
        n2 * (n + 1) * (n2 + 15 * n - 4) * product(S3) + 4 * (n4 - 8 * n3 + 19 * n2 - 4 * n - 16) * product(U) +
        24 * (n2 - n - 4) * mixed(U, B) + 6 * (n4 - 8 * n3 + 21 * n2 - 6 * n - 24) * product(B) +
        12 * (n4 - n3 - 8 * n2 + 36 * n - 48) * product(R) + 24 * (n3 - 3 * n2 - 2 * n + 8) * mixed(R, U) +
        24 * (n3 - 2 * n2 - 3 * n + 12) * mixed(R, B) - 2 * n * (n - 1) * (n2 - n + 4) * mixed(2 * U + 3 * B, S3) -
        12 * n * (n - 1) * (n - 1) * (n + 4) * mixed(R, S3) + 16 * n * (n - 1) * (n - 2) * mixed(T3, S3) +
        8 * (n3 - 9 * n2 + 26 * n - 22) * product(T3) - 8 * (3 * n2 - 15 * n + 16) * mixed(T3, U) -
        8 * (3 * n2 - 15 * n + 24) * mixed(T3, B + (n - 2) * R);
    store(n * product(T) / (n - 1), out->mean);
    store(n2 * variance, out->variance);
    store(n3 * third / (falling4 * (n - 4) * (n - 5)), out->third);
}

// The two most frequent levels meet as often as they can. Whatever the rest of the table does, it deviates at least as
// much as when all other levels are merged.
inline Four within_reach(const Total& total, Both used, Both most) {
    const Four a = most.row, b = most.column, d = smaller(a, b) - a * b * total.share;
    const Both smoothed = total.beta * used + total.n, frequent = most + total.beta, others = smoothed - frequent;
    const Both weights = frequent * others;  // the inverse of 1 / frequent + 1 / others is this by `smoothed`
    return total.n * d * d * (smoothed.row * smoothed.column) / (weights.row * weights.column);
}

template <class Way> inline void moments(const Margins<Way>& margins, const Total& total, FourStrata* out) {
    using V = typename Way::Number;
    V used = Way::all(0), least = Way::all(1e300), most = used, squares = used;
    for (std::uint32_t i = 0; i < margins.levels; ++i) {
        const V a = load(margins.count[i]), present = smaller(a, Way::all(1));
        store(1 / (a + total.beta), margins.weight[i]);
        used += present;
        least = smaller(least, a + 1e300 * (1 - present));  // what nobody has is not the rarest
        most = larger(most, a);
        squares += a * a;
    }
    store(total.n, out->total);
    store(Way::apart(used), out->used), store(Way::apart(squares), out->squares);
    store(Way::apart(least), out->least), store(Way::apart(most), out->most);
    store(within_reach(total, Way::apart(used), Way::apart(most)), out->within_reach);
    const Four n = total.n;
    if (n[0] < 6 && n[1] < 6 && n[2] < 6 && n[3] < 6) return;
    const auto of = invariants(margins, total);
    cumulants(n, {Way::apart(of.T), Way::apart(of.T2), Way::apart(of.T3), Way::apart(of.S2), Way::apart(of.S3),
                  Way::apart(of.R), Way::apart(of.U), Way::apart(of.B)}, out);
}

template <class Way>
void of_tables(const std::uint32_t* const* tables, std::uint32_t kx, std::uint32_t ky, FourStrata* out) {
    const std::uint32_t *first = tables[0], *second = tables[1], *third = tables[2], *fourth = tables[3];
    const std::uint32_t size = kx * ky, levels = kx > ky ? kx : ky;
    Four cells[kFewLevels * kFewLevels], n = all(0);
    typename Way::Stored count[kFewLevels], weight[kFewLevels];
    for (std::uint32_t c = 0; c < size; ++c) cells[c] = four_of(first[c], second[c], third[c], fourth[c]);
    for (std::uint32_t level = 0; level < levels; ++level) {
        Both margin{all(0), all(0)};
        if (level < kx)
            for (std::uint32_t c = level * ky; c < level * ky + ky; ++c) margin.row += cells[c];
        if (level < ky)
            for (std::uint32_t c = level; c < size; c += ky) margin.column += cells[c];
        store(Way::from(margin), count[level]);
        n += margin.row;
    }
    const Total total(n);
    moments<Way>({count, weight, levels}, total, out);

    Four sum = all(0);
    for (std::uint32_t i = 0, c = 0; i < kx; ++i) {
        const Four a = total.share * Way::apart(load(count[i])).row;
        Four row = all(0);
        for (std::uint32_t j = 0; j < ky; ++j, ++c) {
            const Four d = cells[c] - a * Way::apart(load(count[j])).column;
            row += d * d * Way::apart(load(weight[j])).column;
        }
        sum += row * Way::apart(load(weight[i])).row;
    }
    store(n * sum, out->statistic);
}

void of_tables(const std::uint32_t* const* tables, std::uint32_t kx, std::uint32_t ky, FourStrata* out) {
    if (tables[0] == tables[1])
        of_tables<OneAlone>(tables, kx, ky, out);
    else
        of_tables<FourAtOnce>(tables, kx, ky, out);
}

void of_margins(const PerMargin* count, std::uint32_t levels, PerMargin* weight, FourStrata* out) {
    Four n = all(0);
    for (std::uint32_t i = 0; i < levels; ++i) n += load(count[i].row);
    moments<FourAtOnce>({count, weight, levels}, Total(n), out);
}

}  // namespace

extern const HotMoments PAUCAL_JOIN(moments_, PAUCAL_ISA);
const HotMoments PAUCAL_JOIN(moments_, PAUCAL_ISA) = {of_tables, of_margins};

}  // namespace paucal
