#include "tests/options.hpp"

#include <algorithm>
#include <cmath>

namespace paucal {
namespace {

std::string written(const Options::Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
    if (const auto* whole = std::get_if<std::uint64_t>(&value)) return say(*whole);
    if (const auto* number = std::get_if<double>(&value)) return say(*number);
    if (const auto* word = std::get_if<std::string>(&value)) return say("'", *word, "'");
    return "a statistic";
}

}  // namespace

Options::Options(std::string statistic, Named values) : statistic_(std::move(statistic)), values_(std::move(values)) {}

const Options::Value& Options::take(const char* name) {
    taken_.emplace_back(name);
    const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& one) { return one.first == name; });
    if (found == values_.end()) refuse("the statistic ", statistic_, " needs the option ", name);
    return found->second;
}

void Options::refuse_value(const char* name, const Value& given, const std::string& wanted) const {
    refuse(name, " of the statistic ", statistic_, " is ", written(given), "; it must be ", wanted);
}

bool Options::flag(const char* name) {
    const Value& given = take(name);
    if (const auto* flag = std::get_if<bool>(&given)) return *flag;
    refuse_value(name, given, "True or False");
}

double Options::number(const char* name, const char* wanted) {
    const Value& given = take(name);
    double number = kNone;
    if (const auto* real = std::get_if<double>(&given)) number = *real;
    if (const auto* whole = std::get_if<std::uint64_t>(&given)) number = static_cast<double>(*whole);
    if (!(number >= 0 && std::isfinite(number))) refuse_value(name, given, wanted);
    return number;
}

double Options::number_from_0(const char* name) { return number(name, "a number from 0 on"); }

double Options::positive_number(const char* name) {
    constexpr auto* wanted = "a positive number";
    const double number = this->number(name, wanted);
    if (number == 0) refuse_value(name, number, wanted);
    return number;
}

std::uint64_t Options::whole_number(const char* name, std::uint64_t least, std::uint64_t most) {
    const Value& given = take(name);
    const auto* whole = std::get_if<std::uint64_t>(&given);
    if (!whole || *whole < least || *whole > most)
        refuse_value(name, given, say("a whole number from ", least, " to ", most));
    return *whole;
}

SharedStatistic Options::statistic(const char* name) {
    const Value& given = take(name);
    const auto* statistic = std::get_if<SharedStatistic>(&given);
    if (!statistic || !*statistic) refuse_value(name, given, "a statistic");
    return *statistic;
}

void Options::finish() const {
    for (const auto& [name, value] : values_) {
        if (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) continue;
        std::string known;
        for (const std::string& one : taken_) known += say(known.empty() ? "" : ", ", one);
        refuse("the statistic ", statistic_, " has no option ", name, "; it has ", known.empty() ? "none" : known);
    }
}

}  // namespace paucal
