// What a statistic is set to, by name, as it comes from outside: each value is checked when the statistic takes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "errors.hpp"
#include "tests/reading.hpp"

namespace paucal {

class Options {
public:
    using Value = std::variant<bool, std::uint64_t, double, std::string, SharedStatistic>;
    using Named = std::vector<std::pair<std::string, Value>>;

    Options(std::string statistic, Named values);

    // Each is needed: defaults are the business of whoever asks for the statistic.
    bool flag(const char* name);
    double number_from_0(const char* name);
    double positive_number(const char* name);
    std::uint64_t whole_number(const char* name, std::uint64_t least, std::uint64_t most);
    SharedStatistic statistic(const char* name);
    template <class Choice> Choice choice(const char* name, const std::vector<std::pair<const char*, Choice>>& known) {
        const Value& given = take(name);
        std::string words;
        for (const auto& [word, meaning] : known) {
            if (const auto* said = std::get_if<std::string>(&given); said && *said == word) return meaning;
            words += say(words.empty() ? "" : ", ", word);
        }
        refuse_value(name, given, say("one of ", words));
    }

    // Refuses options that the statistic has not taken.
    void finish() const;

private:
    const Value& take(const char* name);
    double number(const char* name, const char* wanted);
    [[noreturn]] void refuse_value(const char* name, const Value& given, const std::string& wanted) const;

    std::string statistic_;
    Named values_;
    std::vector<std::string> taken_;
};

}  // namespace paucal
