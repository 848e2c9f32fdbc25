#include "graphs/scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "errors.hpp"
#include "math/special.hpp"

namespace paucal {
namespace {

constexpr std::uint32_t kTabulated = 64;     // counts below are looked up, counts from here on go through Stirling
constexpr std::uint32_t kRemembered = 1024;  // and are remembered up to here

class DirichletScore final : public SetScore {
public:
    DirichletScore(std::size_t rows, std::vector<double> sizes) : sizes_(std::move(sizes)), rows_(rows) {
        for (const double size : sizes_) normaliser_.push_back(-log_rising(size, static_cast<double>(rows)));
        value_.resize(sizes_.size()), rising_.resize(sizes_.size());
    }

    double operator()(const Profile& profile) override {
        const std::size_t k = sizes_.size();
        Table& table = table_for(profile.cells);
        std::copy(normaliser_.begin(), normaliser_.end(), value_.begin());
        for (const auto& [count, cells] : profile.entries) {
            const double weight = cells;
            const double* rising = rising_of(table, profile.cells, count);
            for (std::size_t i = 0; i < k; ++i) value_[i] += weight * rising[i];
        }
        const double most = *std::max_element(value_.begin(), value_.end());
        double sum = 0;
        for (const double v : value_) sum += std::exp(v - most);
        return most + std::log(sum / static_cast<double>(k));
    }

private:
    // For one number of cells: ln rising(size / cells, count), sizes contiguous for each count.
    struct Table {
        std::vector<double> rising, log_gamma, large;
        std::vector<std::uint32_t> block;  // by count: which block of `large` it has, from 1 on; 0 if it was not asked for
    };

    const double* rising_of(Table& table, double cells, std::uint32_t count) {
        const std::size_t k = sizes_.size();
        if (count < kTabulated) return table.rising.data() + count * k;
        const auto compute = [&](double* out) {
            for (std::size_t i = 0; i < k; ++i) out[i] = paucal::log_gamma(sizes_[i] / cells + count) - table.log_gamma[i];
        };
        if (count >= kRemembered) {
            compute(rising_.data());
            return rising_.data();
        }
        if (table.block.empty()) table.block.assign(kRemembered, 0);
        std::uint32_t& block = table.block[count];
        if (block == 0) {
            table.large.resize(table.large.size() + k);
            compute(table.large.data() + table.large.size() - k);
            block = static_cast<std::uint32_t>(table.large.size() / k);
        }
        return table.large.data() + (block - 1) * k;
    }

    Table& table_for(double cells) {
        Table& table = tables_[cells];
        if (!table.rising.empty()) return table;
        const std::size_t k = sizes_.size();
        const std::size_t counts = std::min<std::size_t>(kTabulated, rows_ + 1);
        table.rising.assign(counts * k, 0);
        for (std::size_t i = 0; i < k; ++i) {
            const double a = sizes_[i] / cells;
            table.log_gamma.push_back(paucal::log_gamma(a));
            for (std::size_t n = 1; n < counts; ++n)
                table.rising[n * k + i] = table.rising[(n - 1) * k + i] + std::log(a + static_cast<double>(n - 1));
        }
        return table;
    }

    std::vector<double> sizes_, normaliser_, value_, rising_;
    std::size_t rows_;
    std::unordered_map<double, Table> tables_;
};

// sum of n ln(n / N)
double log_likelihood(const Profile& profile, double rows) {
    double sum = 0;
    for (const auto& [count, cells] : profile.entries) sum += cells * (count * std::log(count / rows));
    return sum;
}

class FitScore final : public SetScore {
public:
    FitScore(std::size_t rows, double per_parameter) : rows_(static_cast<double>(rows)), per_parameter_(per_parameter) {}
    double operator()(const Profile& profile) override {
        return log_likelihood(profile, rows_) - per_parameter_ * (profile.cells - 1);
    }

private:
    double rows_, per_parameter_;
};

class QnmlScore final : public SetScore {
public:
    explicit QnmlScore(std::size_t rows) : rows_(rows) {}
    double operator()(const Profile& profile) override {
        const auto [at, fresh] = regret_.try_emplace(profile.cells, 0);
        if (fresh) at->second = log_multinomial_regret(rows_, profile.cells);
        return log_likelihood(profile, static_cast<double>(rows_)) - at->second;
    }

private:
    std::size_t rows_;
    std::unordered_map<double, double> regret_;
};

}  // namespace

std::unique_ptr<SetScore> dirichlet_score(std::size_t rows, std::vector<double> sizes) {
    if (sizes.empty()) refuse("an equivalent sample size is needed");
    for (const double size : sizes) check_positive("an equivalent sample size", size);
    return std::make_unique<DirichletScore>(rows, std::move(sizes));
}
std::unique_ptr<SetScore> fit_score(std::size_t rows, double per_parameter) {
    check_finite("per_parameter", per_parameter);
    return std::make_unique<FitScore>(rows, per_parameter);
}
std::unique_ptr<SetScore> qnml_score(std::size_t rows) { return std::make_unique<QnmlScore>(rows); }

Scorer::Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels)
    : columns_(std::move(columns)), levels_(std::move(levels)), counter_(*columns_), small_(kTabulated) {
    if (columns_->has_gaps()) refuse("a score needs complete columns; some values are missing");
    if (levels_.size() != columns_->size())
        refuse("there are ", levels_.size(), " numbers of levels for ", columns_->size(), " columns");
    for (const double level : levels_)
        if (!(level >= 0 && std::isfinite(level))) refuse("a column has ", level, " levels; it needs a number from 0 on");
}

Scorer::Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, std::unique_ptr<SetScore> score)
    : Scorer(std::move(columns), std::move(levels)) {
    set_score_ = std::move(score);
}

Scorer::Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, FamilyPrior prior)
    : Scorer(std::move(columns), std::move(levels)) {
    check_positive("size", prior.size);
    prior_ = prior;
}

Scorer::Scorer(std::shared_ptr<const Columns> columns, std::vector<double> levels, std::unique_ptr<SetScore> score,
               std::unique_ptr<Lines> lines, std::vector<std::uint32_t> forms)
    : Scorer(std::move(columns), std::move(levels), std::move(score)) {
    lines_ = std::move(lines);
    use(std::move(forms));
}

void Scorer::use(std::vector<std::uint32_t> forms) {
    if (!lines_) refuse("the columns of this score have one form only");
    if (!forms_.empty() && forms.size() != forms_.size())
        refuse("there are ", forms.size(), " forms for ", forms_.size(), " columns");
    const std::size_t known = columns_->size() + lines_->size();
    std::vector<std::uint8_t> taken(known, 0);
    for (const std::uint32_t form : forms) {
        if (form >= known) refuse("there is no form ", form, "; there are ", known);
        if (taken[form]++) refuse("form ", form, " is used by two columns");
    }
    forms_ = std::move(forms);
}

std::size_t Scorer::Known::place_of(const Key& key) const {
    std::uint64_t h = key.a * 0x9E3779B97F4A7C15ull ^ (key.b + 0xD1B54A32D192ED03ull) * 0xBF58476D1CE4E5B9ull;
    h ^= h >> 29, h *= 0x94D049BB133111EBull;
    h ^= h >> 32;
    const std::size_t last = entries_.size() - 1;
    std::size_t at = h & last;
    while (!(entries_[at].key == key) && !(entries_[at].key == Key{})) at = (at + 1) & last;
    return at;
}

const double* Scorer::Known::find(const Key& key) const {
    if (entries_.empty()) return nullptr;
    const Entry& entry = entries_[place_of(key)];
    return entry.key == key ? &entry.value : nullptr;
}

void Scorer::Known::add(const Key& key, double value) {
    if (used_ >= kMostKnown) entries_.clear(), used_ = 0;
    if (5 * (used_ + 1) > 3 * entries_.size()) grow();
    entries_[place_of(key)] = {key, value};
    ++used_;
}

void Scorer::Known::grow() {
    std::vector<Entry> old(std::max<std::size_t>(1024, 2 * entries_.size()));
    old.swap(entries_);
    for (const Entry& entry : old)
        if (!(entry.key == Key{})) entries_[place_of(entry.key)] = entry;
}

bool Scorer::key_of(const std::uint32_t* members, int n, Key& key) const {
    if (n > kMostRemembered || columns_->size() + (lines_ ? lines_->size() : 0) >= 65535) return false;
    std::uint64_t sorted[kMostRemembered] = {};
    for (int i = 0; i < n; ++i) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > members[i] + 1; --at) sorted[at] = sorted[at - 1];
        sorted[at] = members[i] + 1;
    }
    key.a = sorted[0] | sorted[1] << 16 | sorted[2] << 32 | sorted[3] << 48;
    key.b = sorted[4] | sorted[5] << 16 | sorted[6] << 32 | sorted[7] << 48;
    return true;
}

double Scorer::set(const std::uint32_t* members, int n) { return lines_ ? mixed(members, n, true) : remembered(members, n); }

double Scorer::set_unremembered(const std::uint32_t* members, int n) {
    return lines_ ? mixed(members, n, false) : (*set_score_)(profile(members, n));
}

// The cells as if they were alone, and what the lines add to them.
double Scorer::mixed(const std::uint32_t* members, int n, bool remember) {
    std::uint32_t forms[kMostMembers], lines[kMostMembers];
    for (int i = 0; i < n; ++i) forms[i] = forms_[members[i]];
    std::sort(forms, forms + n);
    const auto first_line = static_cast<std::uint32_t>(columns_->size());
    const int n_cells = static_cast<int>(std::lower_bound(forms, forms + n, first_line) - forms);
    if (n_cells == n) return remember || n == 0 ? remembered(forms, n) : (*set_score_)(profile(forms, n));
    Key key;
    const bool fits = remember && key_of(forms, n, key);
    if (fits)
        if (const double* known = known_.find(key)) return *known;
    for (int i = n_cells; i < n; ++i) lines[i - n_cells] = forms[i] - first_line;
    ++evaluated_;
    const double value = remembered(forms, n_cells) + lines_->gain(forms, n_cells, lines, n - n_cells);
    if (fits) known_.add(key, value);
    return value;
}

double Scorer::remembered(const std::uint32_t* members, int n) {
    if (n == 0) return 0;
    Key key;
    if (!key_of(members, n, key)) return (*set_score_)(profile(members, n));
    if (const double* known = known_.find(key)) return *known;
    const double value = (*set_score_)(profile(members, n));
    known_.add(key, value);
    return value;
}

void Scorer::ask_instead(std::uint32_t child, Families families) {
    instead_.resize(columns_->size());
    instead_[child] = std::move(families);
}

double Scorer::local(std::uint32_t child, const std::uint32_t* parents, int n) {
    if (asks_others() && instead_[child]) return instead_[child](child, parents, n);
    if (of_sets()) {
        std::uint32_t members[kMostMembers];
        std::copy_n(parents, n, members);
        members[n] = child;
        return set(members, n + 1) - set(parents, n);
    }
    Key key;
    if (n == kMostRemembered || !key_of(parents, n, key)) return family(child, parents, n);
    key.b |= std::uint64_t{child + 1} << 48;  // the last place is free
    if (const double* known = known_.find(key)) return *known;
    const double value = family(child, parents, n);
    known_.add(key, value);
    return value;
}

// A Dirichlet-multinomial likelihood for each configuration of the parents that occurs.
double Scorer::family(std::uint32_t child, const std::uint32_t* parents, int n) {
    const double levels = levels_[child];
    double value = 0, per_cell;
    if (n > 0) {
        const Profile& table = profile(parents, n);
        per_cell = prior_.per_cell(table.observed, levels);
        for (const auto& [count, cells] : table.entries) value -= cells * log_rising(per_cell * levels, count);
    } else {
        per_cell = prior_.per_cell(1, levels);
        value = -log_rising(per_cell * levels, static_cast<double>(columns_->samples()));
    }
    std::uint32_t members[kMostMembers];
    std::copy_n(parents, n, members);
    members[n] = child;
    for (const auto& [count, cells] : profile(members, n + 1).entries) value += cells * log_rising(per_cell, count);
    return value;
}

const Profile& Scorer::profile(const std::uint32_t* members, int n) {
    ++evaluated_;
    profile_.cells = 1;
    for (int i = 0; i < n; ++i) profile_.cells *= levels_[members[i]];
    profile_.entries.clear();
    large_.clear();
    std::uint64_t seen = 0;  // counts below 64
    const auto add = [&](std::uint32_t count) {
        if (count < kTabulated)
            ++small_[count], seen |= std::uint64_t{1} << count;
        else
            large_.push_back(count);
    };
    if (n == 1) {
        for (const std::uint32_t count : (*columns_)[members[0]].margin) add(count);
    } else {
        std::uint32_t sorted[kMostMembers];
        std::copy_n(members, n, sorted);
        std::sort(sorted, sorted + n);
        const Counts& counts = counter_.count({sorted[0], sorted[1], sorted + 2, n - 2});
        if (counts.cells) {
            const std::size_t cells = counts.strata * counts.kx * counts.ky;
            for (std::size_t i = 0; i < cells; ++i) add(counts.cells[i]);
        } else {
            for (const std::uint32_t count : counts.count) add(count);
        }
    }
    profile_.observed = static_cast<double>(large_.size());
    for (; seen; seen &= seen - 1) {
        const auto count = static_cast<std::uint32_t>(std::countr_zero(seen));
        if (count > 0) {
            profile_.entries.push_back({count, small_[count]});
            profile_.observed += small_[count];
        }
        small_[count] = 0;
    }
    std::sort(large_.begin(), large_.end());
    for (const std::uint32_t count : large_) {
        if (profile_.entries.empty() || profile_.entries.back().count != count) profile_.entries.push_back({count, 0});
        ++profile_.entries.back().cells;
    }
    return profile_;
}

}  // namespace paucal
