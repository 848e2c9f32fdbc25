#include "graphs/augment.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "errors.hpp"
#include "math/draw.hpp"
#include "share_out.hpp"

namespace paucal {
namespace {

constexpr std::size_t kMostChains = 4096;
constexpr std::size_t kMostParents = 15;     // besides the required ones
constexpr std::size_t kMostCandidates = 15;  // their subsets are tabulated
constexpr int kMostRounds = 1 << 20;
constexpr std::uint32_t kState = 0x53474750;  // "PGGS"
constexpr const char* kStateName = "a state of a chain that fills gaps";
constexpr int kAllSetsTo = 4;  // parents; larger sets are tabulated where they pay

// Lends one score to the scorers of all fillings, which then share its tables of logarithms.
class Lent final : public SetScore {
public:
    explicit Lent(SetScore& score) : score_(score) {}
    double operator()(const Profile& profile) override { return score_(profile); }

private:
    SetScore& score_;
};

struct Gaps {
    std::uint32_t column;
    std::vector<std::uint32_t> rows;
    std::vector<std::vector<std::uint32_t>> donors;  // by level the rows in which it was observed
};

BitMatrix children_of(const Parents& parents) {
    BitMatrix children(parents.size());
    for (std::uint32_t v = 0; v < parents.size(); ++v)
        for (const std::uint32_t u : parents[v]) children.set(u, v);
    return children;
}

}  // namespace

class GapChain {
public:
    GapChain(const Columns& columns, std::vector<double> levels, const ArcRules& rules, const std::uint8_t* forbidden,
             const std::uint8_t* set, const GapSampler::Plan& plan, const std::vector<GapReading>& readings,
             std::uint64_t stream)
        : rules_(rules), forbidden_(forbidden), plan_(plan), readings_(readings), random_(plan.seed, stream),
          score_(dirichlet_score(columns.rows(), plan.sizes)) {
        table_.rows = columns.rows();
        table_.levels = std::move(levels);
        for (std::uint32_t v = 0; v < columns.size(); ++v) read_column(columns[v], v);
        set_.assign(rules.n, nullptr);
        score_without_.resize(rules.n);
        for (std::size_t v = 0; set && v < rules.n; ++v) {
            const std::uint8_t* rows = set + v * table_.rows;
            const auto free = static_cast<std::size_t>(std::count(rows, rows + table_.rows, 0));
            if (free == table_.rows) continue;
            set_[v] = rows;
            if (free > 0) score_without_[v] = dirichlet_score(free, plan.sizes);
        }
        for (auto* tally : {&sums_.arrow, &sums_.line, &sums_.blanket, &sums_.causes}) tally->assign(rules.n * rules.n, 0);
    }

    void fill(bool record, Watch* watch);
    void draw_donors();
    void write(StateWriter& out) const;
    void read(StateReader& in);

    const std::vector<std::vector<std::uint32_t>>& donors() const { return donor_; }
    const CodeTable& table() const { return table_; }
    const Tallies& sums() const { return sums_; }
    std::uint64_t n_recorded() const { return n_recorded_; }
    std::uint64_t evaluated() const { return evaluated_; }
    const std::vector<BitMatrix>& dags() const { return dags_; }
    const std::vector<std::size_t>& last() const { return last_; }
    std::pair<double, double> rates() const {
        const double n = std::max<double>(1, static_cast<double>(n_filled_));
        return {acceptance_ / n, swaps_ / n};
    }

private:
    void read_column(const Column& column, std::uint32_t v);
    std::uint64_t fingerprint() const;
    Parents read_parents(StateReader& in) const;
    std::vector<BitMatrix> read_dags(StateReader& in) const;
    std::shared_ptr<const Columns> columns_without(const std::uint8_t* set) const;
    std::unique_ptr<Scorer> scorer();
    std::vector<double> line(std::uint32_t v) const;
    FoundDag last_dag();
    void draw_gaps();
    void draw_gap(std::uint32_t row, DrawnFamily& own, const std::vector<DrawnFamily*>& children);
    bool was_set(std::uint32_t v, std::uint32_t row) const { return set_[v] && set_[v][row]; }

    const ArcRules& rules_;
    const std::uint8_t* forbidden_;
    const GapSampler::Plan& plan_;
    const std::vector<GapReading>& readings_;
    Random random_;
    std::unique_ptr<SetScore> score_;
    CodeTable table_;
    std::vector<const std::uint8_t*> set_;  // by column the rows in which it was set; null if it never was
    std::vector<std::unique_ptr<SetScore>> score_without_;  // by column, on the others; null if there are none
    std::vector<Gaps> gaps_;
    std::vector<std::vector<std::uint32_t>> donor_;  // per column and row, once there are readings
    Parents parents_;  // of the last DAG
    Tallies sums_;
    std::uint64_t n_recorded_ = 0, n_filled_ = 0, evaluated_ = 0;
    std::vector<BitMatrix> dags_;    // those that were kept
    std::vector<std::size_t> last_;  // which of them are the last of their filling
    double acceptance_ = 0, swaps_ = 0;
    std::vector<double> weight_;
    std::vector<std::pair<DrawnFamily*, DrawnFamily::Row>> asked_;  // children of a gap, in its row
};

// Codes of a column, its gaps filled by values of other rows.
void GapChain::read_column(const Column& column, std::uint32_t v) {
    std::vector<std::uint32_t> codes(table_.rows), known;
    Gaps gaps{v, {}, {}};
    for (std::uint32_t r = 0; r < table_.rows; ++r) {
        codes[r] = column.value(r);
        if (column.missing && column.missing[r / 64] >> (r % 64) & 1)
            gaps.rows.push_back(r);
        else
            known.push_back(codes[r]);
    }
    for (const std::uint32_t r : gaps.rows)
        codes[r] = known.empty() ? 0 : known[random_.below(static_cast<std::uint32_t>(known.size()))];
    table_.states.push_back(std::max(1u, column.observed));
    table_.codes.push_back(std::move(codes));
    if (!gaps.rows.empty() && column.observed > 1) gaps_.push_back(std::move(gaps));
}

// The rows of the completed table in which a column was not set.
std::shared_ptr<const Columns> GapChain::columns_without(const std::uint8_t* set) const {
    auto columns = std::make_shared<Columns>(static_cast<std::size_t>(std::count(set, set + table_.rows, 0)));
    std::vector<std::uint32_t> kept;
    for (std::size_t v = 0; v < rules_.n; ++v) {
        kept.clear();
        for (std::size_t r = 0; r < table_.rows; ++r)
            if (!set[r]) kept.push_back(table_.codes[v][r]);
        columns->add(std::span<const std::uint32_t>(kept), table_.states[v]);
    }
    columns->finish();
    return columns;
}

// For every gap a row in which its level was observed.
void GapChain::draw_donors() {
    if (donor_.empty()) {
        std::vector<std::uint32_t> own(table_.rows);
        for (std::uint32_t r = 0; r < table_.rows; ++r) own[r] = r;
        donor_.assign(rules_.n, own);
        for (Gaps& gaps : gaps_) {
            gaps.donors.resize(table_.states[gaps.column]);
            auto gap = gaps.rows.begin();
            for (std::uint32_t r = 0; r < table_.rows; ++r)
                if (gap != gaps.rows.end() && *gap == r)
                    ++gap;
                else
                    gaps.donors[table_.codes[gaps.column][r]].push_back(r);
        }
    }
    for (const Gaps& gaps : gaps_)
        for (const std::uint32_t r : gaps.rows) {
            const auto& from = gaps.donors[table_.codes[gaps.column][r]];
            donor_[gaps.column][r] = from[random_.below(static_cast<std::uint32_t>(from.size()))];
        }
}

// The values of a line with those of donors in its gaps; mean 0 and variance 1.
std::vector<double> GapChain::line(std::uint32_t v) const {
    std::vector<double> out;
    double sum = 0, squares = 0;
    for (const std::uint32_t r : donor_[v]) out.push_back(readings_[v].line[r]), sum += out.back();
    for (double& z : out) z -= sum / static_cast<double>(out.size()), squares += z * z;
    for (double& z : out) z /= std::sqrt(squares / static_cast<double>(out.size()));
    return out;
}

std::unique_ptr<Scorer> GapChain::scorer() {
    const auto n = static_cast<std::uint32_t>(rules_.n);
    auto columns = std::make_shared<Columns>(table_.rows);
    std::vector<double> levels = table_.levels, nuggets;
    std::vector<std::vector<double>> lines;
    std::vector<std::uint32_t> forms, codes(table_.rows);
    for (std::uint32_t v = 0; v < n; ++v) {
        const GapReading* reading = readings_.empty() ? nullptr : &readings_[v];
        if (reading && !reading->states) {
            forms.push_back(n + static_cast<std::uint32_t>(lines.size()));
            lines.push_back(line(v)), nuggets.push_back(reading->nugget);
            reading = nullptr;  // what is drawn has its place among the cells, and nobody asks for it there
        } else {
            forms.push_back(v);
        }
        if (reading) {
            for (std::size_t r = 0; r < codes.size(); ++r) codes[r] = reading->codes[donor_[v][r]];
            levels[v] = reading->states;
            columns->add(std::span<const std::uint32_t>(codes), reading->states);
        } else {
            columns->add(std::span<const std::uint32_t>(table_.codes[v]), table_.states[v]);
        }
    }
    columns->finish();
    auto score = std::make_unique<Lent>(*score_);
    if (readings_.empty()) return std::make_unique<Scorer>(std::move(columns), std::move(levels), std::move(score));
    auto with = std::make_unique<Lines>(columns, std::move(lines), std::move(nuggets));
    return std::make_unique<Scorer>(std::move(columns), std::move(levels), std::move(score), std::move(with), std::move(forms));
}

void GapChain::fill(bool record, Watch* watch) {
    const std::unique_ptr<Scorer> made = scorer();
    Scorer& scorer = *made;
    std::vector<std::unique_ptr<Scorer>> of_others;
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        if (!score_without_[v]) continue;  // never set; or always, then nothing tells its causes and it has none
        of_others.push_back(std::make_unique<Scorer>(columns_without(set_[v]), table_.levels,
                                                     std::make_unique<Lent>(*score_without_[v])));
        scorer.ask_instead(v, [other = of_others.back().get()](std::uint32_t child, const std::uint32_t* parents, int n) {
            return other->local(child, parents, n);
        });
    }
    std::vector<FoundDag> starts;
    if (n_filled_ > 0) starts.push_back(last_dag());
    if (n_filled_ % plan_.search_every == 0)
        starts.push_back(OrderSearch(scorer, rules_, plan_.searched_parents, plan_.most_grown, watch)
                             .climb(random_, 0, watch)
                             .front());
    std::vector<const Parents*> met;
    for (const FoundDag& start : starts) met.push_back(&start.parents);
    const SetSizes sizes{std::min(kAllSetsTo, plan_.most_parents), plan_.most_parents};
    const auto chosen = candidate_parents(scorer, rules_, met, std::vector<ParentGroups>(rules_.n),
                                          plan_.most_candidates, plan_.heats.front(), watch);
    const FamilyTables tables(scorer, rules_, chosen, starts, sizes, plan_.heats, watch);
    Chain chain(tables, rules_, forbidden_, starts.front(), Random(random_(), random_()));
    chain.run(plan_.settling, false, watch);
    chain.run(plan_.rounds, true, watch);
    const Tallies& tallies = chain.tallies();
    const auto parents_in = [&](const std::vector<std::uint16_t>& choice) {
        Parents parents(rules_.n);
        for (std::uint32_t v = 0; v < rules_.n; ++v) {
            const FamilyTable& family = tables[v];
            parents[v] = family.required;
            for (std::size_t b = 0; b < family.candidates.size(); ++b)
                if (family.mask[choice[v]] >> b & 1) parents[v].push_back(family.candidates[b]);
            std::sort(parents[v].begin(), parents[v].end());
        }
        return parents;
    };
    parents_ = parents_in(tallies.dags.back());
    if (record) {
        const auto add = [](std::vector<std::uint32_t>& sum, const std::vector<std::uint32_t>& more) {
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
        };
        add(sums_.arrow, tallies.arrow), add(sums_.line, tallies.line), add(sums_.blanket, tallies.blanket);
        add(sums_.causes, tallies.causes);
        const std::size_t drawn = tallies.dags.size(), kept = std::min(plan_.kept, drawn);
        n_recorded_ += drawn;
        for (std::size_t k = 1; k <= kept; ++k) dags_.push_back(children_of(parents_in(tallies.dags[k * drawn / kept - 1])));
        last_.push_back(dags_.size() - 1);
    }
    acceptance_ += chain.acceptance(), swaps_ += chain.swap_rate();
    evaluated_ += scorer.evaluated();
    for (const auto& other : of_others) evaluated_ += other->evaluated();
    ++n_filled_;
    draw_gaps();
}

// Tells data and rules apart: all that is the same in every state of a chain.
std::uint64_t GapChain::fingerprint() const {
    Checksum sum;
    sum.add(table_.states), sum.add(table_.levels), sum.add(plan_.sizes), sum.add(plan_.heats);
    sum.add(rules_.allowed), sum.add(rules_.required), sum.add(&rules_.penalty, sizeof rules_.penalty);
    for (const std::uint8_t* rows : set_) sum.add(rows, rows ? table_.rows : 0);
    auto gaps = gaps_.begin();
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        std::vector<std::uint32_t> codes = table_.codes[v];
        if (gaps != gaps_.end() && gaps->column == v) {
            for (const std::uint32_t r : gaps->rows) codes[r] = table_.states[v];
            ++gaps;
        }
        sum.add(codes);
    }
    return sum.value();
}

void GapChain::write(StateWriter& out) const {
    out.number(fingerprint());
    out.random(random_);
    out.number(std::uint8_t{!donor_.empty()});
    std::vector<std::uint32_t> values;
    for (const Gaps& gaps : gaps_) {
        values.clear();
        for (const std::uint32_t r : gaps.rows) values.push_back(table_.codes[gaps.column][r]);
        out.list(values);
        if (donor_.empty()) continue;
        values.clear();
        for (const std::uint32_t r : gaps.rows) values.push_back(donor_[gaps.column][r]);
        out.list(values);
    }
    out.number(n_filled_), out.number(n_recorded_), out.number(evaluated_);
    if (n_filled_)
        for (const auto& parents : parents_) out.list(parents);
    for (const auto* tally : {&sums_.arrow, &sums_.line, &sums_.blanket, &sums_.causes}) out.list(*tally);
    std::vector<std::uint64_t> bits;
    for (const BitMatrix& dag : dags_) bits.insert(bits.end(), dag[0], dag[0] + dag.size() * dag.words());
    out.list(bits);
    out.list(std::vector<std::uint64_t>(last_.begin(), last_.end()));
    out.number(acceptance_), out.number(swaps_);
}

void GapChain::read(StateReader& in) {
    in.check(in.number<std::uint64_t>() == fingerprint(), "it belongs to other data or rules");
    const Random random = in.random();
    in.check(in.number<std::uint8_t>() == !donor_.empty(), "numbers are read in one of the two, and not in the other");
    CodeTable table = table_;
    auto donor = donor_;
    for (const Gaps& gaps : gaps_) {
        const auto codes = in.list<std::uint32_t>(gaps.rows.size(), "a column of gaps");
        for (std::size_t i = 0; i < codes.size(); ++i) {
            in.check(codes[i] < table.states[gaps.column], "a gap has a level that does not exist");
            table.codes[gaps.column][gaps.rows[i]] = codes[i];
        }
        if (donor.empty()) continue;
        const auto from = in.list<std::uint32_t>(gaps.rows.size(), "a column of donors");
        for (std::size_t i = 0; i < from.size(); ++i) {
            const auto& known = gaps.donors[codes[i]];
            in.check(std::binary_search(known.begin(), known.end(), from[i]), "a donor has another level");
            donor[gaps.column][gaps.rows[i]] = from[i];
        }
    }
    const auto filled = in.number<std::uint64_t>(), recorded = in.number<std::uint64_t>(), evaluated = in.number<std::uint64_t>();
    Parents parents = filled ? read_parents(in) : Parents();
    Tallies sums;
    for (auto* tally : {&sums.arrow, &sums.line, &sums.blanket, &sums.causes}) {
        *tally = in.list<std::uint32_t>(rules_.n * rules_.n, "a tally");
        for (const std::uint32_t count : *tally) in.check(count <= recorded, "a tally is larger than the number of DAGs");
    }
    std::vector<BitMatrix> dags = read_dags(in);
    in.check(dags.size() <= recorded, "more DAGs were kept than recorded");
    const auto last = in.list<std::uint64_t>();
    for (const std::uint64_t one : last) in.check(one < dags.size(), "the last DAG of a filling does not exist");
    const auto acceptance = in.number<double>(), swaps = in.number<double>();
    const auto most = static_cast<double>(filled);
    in.check(acceptance >= 0 && acceptance <= most && swaps >= 0 && swaps <= most, "a rate is not between 0 and 1");
    in.end();
    random_ = random;
    table_.codes.swap(table.codes);
    donor_ = std::move(donor);
    parents_ = std::move(parents);
    sums_ = std::move(sums);
    n_filled_ = filled, n_recorded_ = recorded, evaluated_ = evaluated;
    dags_ = std::move(dags);
    last_.assign(last.begin(), last.end());
    acceptance_ = acceptance, swaps_ = swaps;
}

// Of a DAG that a filling may have ended with.
Parents GapChain::read_parents(StateReader& in) const {
    Parents parents;
    const std::size_t most = std::min(plan_.most_candidates, static_cast<std::size_t>(plan_.most_parents));
    for (std::uint32_t v = 0; v < rules_.n; ++v) {
        parents.push_back(in.list<std::uint32_t>());
        std::size_t required = 0, chosen = 0;
        for (std::size_t i = 0; i < parents[v].size(); ++i) {
            const std::uint32_t u = parents[v][i];
            in.check(u < rules_.n && (i == 0 || parents[v][i - 1] < u), "parents are not columns in ascending order");
            in.check(rules_.must(u, v) || rules_.may(u, v), "a parent is forbidden");
            ++(rules_.must(u, v) ? required : chosen);
        }
        for (std::uint32_t u = 0; u < rules_.n; ++u) required -= rules_.must(u, v);
        in.check(required == 0 && chosen <= most, "a required parent is missing, or there are too many");
    }
    in.check(acyclic(children_of(parents)), "a DAG has a cycle");
    return parents;
}

std::vector<BitMatrix> GapChain::read_dags(StateReader& in) const {
    const auto bits = in.list<std::uint64_t>();
    const std::size_t n = rules_.n, each = n * BitMatrix(n).words();
    in.check(bits.size() % each == 0, "a DAG is incomplete");
    std::vector<BitMatrix> dags(bits.size() / each, BitMatrix(n));
    for (std::size_t k = 0; k < dags.size(); ++k) {
        std::copy_n(bits.begin() + static_cast<std::ptrdiff_t>(k * each), each, dags[k][0]);
        const std::size_t beyond = n % 64;
        for (std::size_t a = 0; beyond && a < n; ++a)
            in.check(dags[k][a][dags[k].words() - 1] >> beyond == 0, "a DAG has a column that does not exist");
        in.check(acyclic(dags[k]), "a DAG has a cycle");
    }
    return dags;
}

// The last DAG with an order that fits it, drawn at random.
FoundDag GapChain::last_dag() {
    const auto n = static_cast<std::uint32_t>(rules_.n);
    std::vector<std::uint32_t> waiting(n), ready, order;
    std::vector<std::vector<std::uint32_t>> children(n);
    for (std::uint32_t v = 0; v < n; ++v) {
        waiting[v] = static_cast<std::uint32_t>(parents_[v].size());
        for (const std::uint32_t u : parents_[v]) children[u].push_back(v);
        if (waiting[v] == 0) ready.push_back(v);
    }
    while (!ready.empty()) {
        std::swap(ready[random_.below(static_cast<std::uint32_t>(ready.size()))], ready.back());
        order.push_back(ready.back());
        ready.pop_back();
        for (const std::uint32_t v : children[order.back()])
            if (--waiting[v] == 0) ready.push_back(v);
    }
    return {0, std::move(order), parents_};
}

void GapChain::draw_gaps() {
    std::vector<DrawnFamily> families;
    families.reserve(rules_.n);
    for (std::uint32_t v = 0; v < rules_.n; ++v)
        families.emplace_back(table_, v, parents_[v], plan_.sizes, random_, set_[v]);
    std::vector<std::unique_ptr<DrawnFamily>> when_set(rules_.n);
    for (const Gaps& gaps : gaps_)
        if (const std::uint8_t* rows = set_[gaps.column])
            when_set[gaps.column] = std::make_unique<DrawnFamily>(table_, gaps.column, std::vector<std::uint32_t>{},
                                                                  plan_.sizes, random_, rows, std::uint8_t{1});
    std::vector<std::vector<DrawnFamily*>> children(rules_.n);
    for (std::uint32_t v = 0; v < rules_.n; ++v)
        for (const std::uint32_t u : parents_[v]) children[u].push_back(&families[v]);
    std::vector<std::size_t> turn(gaps_.size());
    for (std::size_t i = 0; i < turn.size(); ++i) turn[i] = i;
    for (int sweep = 0; sweep < plan_.sweeps; ++sweep) {
        random_.shuffle(turn);
        for (const std::size_t i : turn) {
            const std::uint32_t v = gaps_[i].column;
            for (const std::uint32_t row : gaps_[i].rows)
                draw_gap(row, was_set(v, row) ? *when_set[v] : families[v], children[v]);
        }
    }
    if (!readings_.empty()) draw_donors();
}

void GapChain::draw_gap(std::uint32_t row, DrawnFamily& own, const std::vector<DrawnFamily*>& children) {
    const std::uint32_t v = own.node(), states = table_.states[v];
    std::uint32_t& code = table_.codes[v][row];
    const double* theta = own.all(row, random_);
    weight_.assign(theta, theta + states);
    asked_.clear();
    bool by_rows = true;
    for (DrawnFamily* child : children)
        if (!was_set(child->node(), row)) {
            asked_.emplace_back(child, child->in_row(row, v));
            by_rows &= child->has_rows();
        }
    if (!asked_.empty())
        for (code = 0; code < states; ++code)
            for (auto& [child, in_row] : asked_)
                weight_[code] += by_rows ? (*child)(in_row, code, random_) : (*child)(row, random_);
    const double most = *std::max_element(weight_.begin(), weight_.end());
    double total = 0;
    for (double& w : weight_) total += w = std::exp(w - most);
    code = static_cast<std::uint32_t>(draw_place(weight_.data(), states, total, random_));
}

GapSampler::GapSampler(const Columns& columns, std::vector<double> levels, ArcRules rules,
                       std::vector<std::uint8_t> forbidden, std::vector<std::uint8_t> set, Plan plan)
    : rules_(std::move(rules)), forbidden_(std::move(forbidden)), set_(std::move(set)), plan_(std::move(plan)),
      rows_(columns.rows()) {
    const std::size_t n = columns.size();
    if (columns.weights()) refuse("gaps are filled row by row, not with weights");
    if (rules_.n != n) refuse("allowed must be a square matrix over the ", n, " columns");
    if (levels.size() != n) refuse("there are ", levels.size(), " numbers of levels for ", n, " columns");
    if (!forbidden_.empty() && forbidden_.size() != n * n)
        refuse("forbidden must be a square matrix over the ", n, " columns");
    if (!set_.empty() && set_.size() != n * rows_)
        refuse("set has ", set_.size(), " entries; it must have one for each of ", n, " columns and ", rows_, " rows");
    if (std::any_of(set_.begin(), set_.end(), [](std::uint8_t one) { return one > 1; })) refuse("set must be 0 or 1");
    for (std::size_t v = 0; v < n; ++v) {
        const Column& column = columns[v];
        if (!(levels[v] >= std::max(1u, column.observed) && std::isfinite(levels[v])))
            refuse("a column has ", levels[v], " levels, of which ", column.observed, " are observed");
        for (std::uint32_t s = 0; s < column.observed; ++s)
            if (!column.margin[s]) refuse("column ", v, " must have its observed levels first");
    }
    check_range("chains", plan_.chains, std::size_t{1}, kMostChains);
    check_range("search_every", plan_.search_every, std::size_t{1}, std::size_t{1} << 20);
    check_range("settling", plan_.settling, 0, kMostRounds);
    check_range("rounds", plan_.rounds, 1, kMostRounds);
    check_range("sweeps", plan_.sweeps, 1, kMostRounds);
    check_range("kept", plan_.kept, std::size_t{1}, static_cast<std::size_t>(kMostRounds));
    check_range("searched_parents", plan_.searched_parents, std::size_t{0}, kMostParents);
    check_range("most_candidates", plan_.most_candidates, std::size_t{0}, kMostCandidates);
    check_range("most_parents", plan_.most_parents, 0, static_cast<int>(kMostParents));
    if (plan_.heats.empty()) refuse("a sampler needs at least one heat");
    for (const double heat : plan_.heats)
        if (!(heat >= 0 && std::isfinite(heat))) refuse("a heat is ", heat, "; it must be a number from 0 on");
    const std::uint8_t* known = forbidden_.empty() ? nullptr : forbidden_.data();
    const std::uint8_t* set_rows = set_.empty() ? nullptr : set_.data();
    for (std::size_t c = 0; c < plan_.chains; ++c)
        chains_.push_back(
            std::make_unique<GapChain>(columns, levels, rules_, known, set_rows, plan_, readings_, c));
}

GapSampler::~GapSampler() = default;

void GapSampler::read_as(std::vector<GapReading> readings) {
    if (!set_.empty()) refuse("readings take all rows, and columns were set in some");
    if (readings.size() != rules_.n) refuse("there are ", readings.size(), " readings for ", rules_.n, " columns");
    for (const GapReading& one : readings) {
        const std::size_t given = one.states ? one.codes.size() : one.line.size();
        if (given != rows_) refuse("a reading has ", given, " values for ", rows_, " rows");
        for (const std::uint32_t code : one.codes)
            if (one.states && code >= one.states) refuse("code ", code, " is not below the number of states, ", one.states);
        if (one.states) continue;
        check_positive("a nugget", one.nugget);
        for (const double value : one.line) check_finite("a value of a line", value);
    }
    const std::lock_guard lock(busy_);
    readings_ = std::move(readings);
    for (const auto& chain : chains_) chain->draw_donors();
}

void GapSampler::run(int fillings, bool record, int threads, Watch* watch) {
    check_range("fillings", fillings, 0, 1 << 20);
    check_threads(threads);
    const std::lock_guard lock(busy_);
    share_out(
        chains_.size(), std::min(threads, static_cast<int>(chains_.size())),
        [&](int, std::size_t c) {
            for (int i = 0; i < fillings && (i == 0 || !(watch && watch->pulse())); ++i) chains_[c]->fill(record, watch);
        },
        watch, true);
}

std::string GapSampler::state(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    StateWriter out(kState);
    at(chain).write(out);
    return std::move(out).finish();
}

void GapSampler::take(std::size_t chain, std::string_view state) {
    const std::lock_guard lock(busy_);
    at(chain);
    StateReader in(state, kState, kStateName);
    chains_[chain]->read(in);
}

const GapChain& GapSampler::at(std::size_t chain) const {
    if (chain >= chains_.size()) throw std::out_of_range(say("there is no chain ", chain, "; there are ", chains_.size()));
    return *chains_[chain];
}

std::pair<Tallies, std::uint64_t> GapSampler::tallies(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return {at(chain).sums(), at(chain).n_recorded()};
}

std::pair<double, double> GapSampler::rates(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return at(chain).rates();
}

std::uint64_t GapSampler::evaluated() const {
    const std::lock_guard lock(busy_);
    std::uint64_t n = 0;
    for (const auto& chain : chains_) n += chain->evaluated();
    return n;
}

std::vector<std::vector<Index>> GapSampler::filled(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return at(chain).table().codes;
}

std::vector<std::vector<Index>> GapSampler::donors(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    if (readings_.empty()) refuse("there are no donors without readings");
    return at(chain).donors();
}

std::vector<BitMatrix> GapSampler::dags(std::size_t chain) const {
    const std::lock_guard lock(busy_);
    return at(chain).dags();
}

BitMatrix GapSampler::central(std::span<const double> arrow, std::span<const double> line) const {
    const std::size_t n = rules_.n;
    if (arrow.size() != n * n || line.size() != n * n) refuse("arrow and line must be square matrices over the columns");
    const std::lock_guard lock(busy_);
    Completion completion(n, forbidden_.empty() ? nullptr : forbidden_.data());
    const BitMatrix* best = nullptr;
    double least = 0;
    for (const auto& chain : chains_)
        for (const std::size_t i : chain->last()) {
            const BitMatrix& dag = chain->dags()[i];
            completion.complete(dag);
            const double loss = expected_loss(completion, n, {arrow.data(), line.data()});
            if (!best || loss < least) best = &dag, least = loss;
        }
    if (!best) refuse("nothing was recorded; call run(fillings, record=True, threads) first");
    return *best;
}

}  // namespace paucal
