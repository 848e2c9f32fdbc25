// Statistics by name: tests/statistic.cpp lists those there are.
#pragma once
#include <string>

#include "tests/options.hpp"
#include "tests/reading.hpp"

namespace paucal {

// Refuses names that nobody has, and options that make no sense.
SharedStatistic make_statistic(const std::string& name, Options::Named options = {});

}  // namespace paucal
