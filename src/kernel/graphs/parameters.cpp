#include "graphs/parameters.hpp"

#include <algorithm>
#include <cmath>

#include "math/draw.hpp"
#include "math/special.hpp"

namespace paucal {
namespace {

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr double kMostDense = 65536;     // configurations that are looked up by number
constexpr double kMostNumbered = 0x1p62;  // beyond, two configurations may share a key, with a chance below 1e-12

}  // namespace

std::vector<double> size_weights(const std::vector<double>& sizes, const std::vector<std::uint32_t>& counts,
                                 std::uint32_t states, double configurations, double levels) {
    std::vector<double> weight(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const double per_row = sizes[k] / configurations, per_cell = per_row / levels;
        double log_evidence = 0;
        for (std::size_t at = 0; at < counts.size(); at += states) {
            double n = 0;
            for (std::uint32_t l = 0; l < states; ++l)
                if (const std::uint32_t m = counts[at + l]) {
                    n += m;
                    log_evidence += log_rising(per_cell, m);
                }
            log_evidence -= log_rising(per_row, n);
        }
        weight[k] = log_evidence;
    }
    const double most = *std::max_element(weight.begin(), weight.end());
    double total = 0;
    for (double& w : weight) total += w = std::exp(w - most);
    for (double& w : weight) w /= total;
    return weight;
}

DrawnFamily::DrawnFamily(const CodeTable& table, std::uint32_t node, std::vector<std::uint32_t> parents,
                         const std::vector<double>& sizes, Random& random, const std::uint8_t* among,
                         std::uint8_t value)
    : table_(&table), node_(node), parents_(std::move(parents)) {
    double configurations = 1, numbers = 1;
    for (const std::uint32_t u : parents_) configurations *= table.levels[u], numbers *= table.states[u];
    wide_ = numbers > kMostNumbered;
    if (numbers <= kMostDense) dense_.assign(static_cast<std::size_t>(numbers), kNowhere);
    const std::vector<std::uint32_t>& own = table.codes[node];
    const std::uint32_t states = table.states[node];
    for (std::size_t r = 0; r < table.rows; ++r)
        if (!among || among[r] == value) ++counts_[std::size_t{place_of(key(r))} * states + own[r]];
    const std::vector<double> weight = size_weights(sizes, counts_, states, configurations, table.levels[node]);
    const std::size_t k = weight.size() == 1 ? 0 : draw_place(weight.data(), weight.size(), 1, random);
    per_cell_ = sizes[k] / (configurations * table.levels[node]);
}

std::uint64_t DrawnFamily::key(std::size_t row) const {
    std::uint64_t key = 0;
    for (const std::uint32_t u : parents_)
        key = wide_ ? mix(key + 0x9E3779B97F4A7C15ull + table_->codes[u][row])
                    : key * table_->states[u] + table_->codes[u][row];
    return key;
}

DrawnFamily::Row DrawnFamily::in_row(std::size_t row, std::uint32_t parent) const {
    std::uint64_t first = 0, step = 0;
    for (const std::uint32_t u : parents_) {
        const std::uint64_t states = table_->states[u];
        first = first * states + (u == parent ? 0 : table_->codes[u][row]);
        step = step * states + (u == parent);
    }
    return {first, step, table_->codes[node_][row]};
}

std::uint32_t DrawnFamily::place_of(std::uint64_t key) {
    std::uint32_t& place = dense_.empty() ? sparse_.try_emplace(key, kNowhere).first->second : dense_[key];
    if (place == kNowhere) {
        const std::uint32_t states = table_->states[node_];
        place = static_cast<std::uint32_t>(drawn_.size());
        drawn_.push_back(0);
        counts_.resize(counts_.size() + states);
        log_theta_.resize(log_theta_.size() + states);
    }
    return place;
}

const double* DrawnFamily::distribution(std::uint64_t key, Random& random) {
    const std::uint32_t states = table_->states[node_], place = place_of(key);
    double* theta = log_theta_.data() + std::size_t{place} * states;
    if (drawn_[place]) return theta;
    drawn_[place] = 1;
    const std::uint32_t* count = counts_.data() + std::size_t{place} * states;
    double most = -INFINITY, sum = 0;
    for (std::uint32_t l = 0; l < states; ++l) {
        theta[l] = draw_log_gamma(count[l] + per_cell_, random);
        most = std::max(most, theta[l]);
    }
    // Declared levels that nobody has share the rest; only the observed ones are ever filled in.
    const double unseen = (table_->levels[node_] - states) * per_cell_;
    const double rest = unseen > 0 ? draw_log_gamma(unseen, random) : -INFINITY;
    most = std::max(most, rest);
    for (std::uint32_t l = 0; l < states; ++l) sum += std::exp(theta[l] - most);
    sum += std::exp(rest - most);
    const double total = most + std::log(sum);
    for (std::uint32_t l = 0; l < states; ++l) theta[l] -= total;
    return theta;
}

}  // namespace paucal
