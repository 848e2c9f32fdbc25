#include "ask/sets.hpp"

#include "errors.hpp"

namespace paucal {

SetsAround::SetsAround(std::vector<Index> pairs, std::span<const std::uint8_t> neighbours, std::size_t columns,
                       int order)
    : pairs_(std::move(pairs)), around_(columns), neighbours_(neighbours.begin(), neighbours.end()), columns_(columns),
      order_(static_cast<std::size_t>(order)) {
    if (neighbours.size() != columns * columns) refuse("neighbours must be a square matrix");
    if (pairs_.size() % 2 != 0) refuse("a pair has two ends");
    check_range("order", order, 0, static_cast<int>(columns));
    for (const Index v : pairs_)
        if (v >= columns) refuse("there is no column ", v, "; there are ", columns);
    for (std::size_t v = 0; v < columns; ++v)
        for (std::size_t u = 0; u < columns; ++u)
            if (neighbours_[v * columns + u]) around_[v].push_back(static_cast<Index>(u));
    at_.resize(order_);
}

// Whether the set that stands next belongs to the second end and the first end had it, too.
bool SetsAround::known() const {
    if (end_ % 2 == 0) return false;
    const std::uint8_t* first = neighbours_.data() + pairs_[end_ - 1] * columns_;
    for (const std::size_t place : at_)
        if (!first[around_[pairs_[end_]][place]]) return false;
    return true;
}

std::pair<std::vector<Index>, std::vector<Index>> SetsAround::next(std::size_t most) {
    std::vector<Index> numbers, sets;
    while (end_ < pairs_.size() && numbers.size() < most) {
        const std::vector<Index>& around = around_[pairs_[end_]];
        if (!begun_)
            for (std::size_t i = 0; i < order_; ++i) at_[i] = i;
        begun_ = around.size() >= order_;
        while (begun_ && numbers.size() < most) {
            if (!known()) {
                numbers.push_back(static_cast<Index>(end_ / 2));
                for (const std::size_t place : at_) sets.push_back(around[place]);
            }
            std::size_t i = order_;
            while (i > 0 && at_[i - 1] == around.size() - order_ + i - 1) --i;
            begun_ = i > 0;
            if (!begun_) break;
            ++at_[i - 1];
            for (std::size_t j = i; j < order_; ++j) at_[j] = at_[j - 1] + 1;
        }
        if (!begun_) ++end_;
    }
    return {std::move(numbers), std::move(sets)};
}

}  // namespace paucal
