// The state of long work as bytes, so that it can go on in another process.
//
//   kind (4 bytes), version (4), length of all (8), content, checksum of all before it (8)
//
// A reader refuses bytes of another kind, version or length, and damaged ones, before anything is read. Lists say how long
// they are, and are refused if they are longer than what is left. Whether the content makes sense is for who reads it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "errors.hpp"
#include "math/random.hpp"

namespace paucal {

inline constexpr std::uint32_t kStateVersion = 1;  // of all kinds

// Of any bytes, in one pass; not against somebody who wants to deceive.
class Checksum {
public:
    void add(const void* from, std::size_t size) {
        const auto* at = static_cast<const unsigned char*>(from);
        for (; size >= 8; size -= 8, at += 8) {
            std::uint64_t word;
            std::memcpy(&word, at, 8);
            value_ = mix(value_ ^ word) + 0x9E3779B97F4A7C15ull;
        }
        std::uint64_t rest = size;
        for (std::size_t i = 0; i < size; ++i) rest = rest << 8 | at[i];
        value_ = mix(value_ ^ rest) + 0x9E3779B97F4A7C15ull;
    }
    template <class T> void add(const std::vector<T>& list) { add(list.data(), list.size() * sizeof(T)); }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0;
};

inline std::uint64_t checksum(std::string_view bytes) {
    Checksum sum;
    sum.add(bytes.data(), bytes.size());
    return sum.value();
}

class StateWriter {
public:
    explicit StateWriter(std::uint32_t kind) {
        number(kind), number(kStateVersion), number(std::uint64_t{0});
    }

    template <class T> void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        raw(&value, sizeof value);
    }
    template <class T> void list(const std::vector<T>& values) {
        number(static_cast<std::uint64_t>(values.size()));
        raw(values.data(), values.size() * sizeof(T));
    }
    void random(const Random& random) {
        for (const std::uint64_t word : random.state()) number(word);
    }

    std::string finish() && {
        const std::uint64_t length = bytes_.size() + sizeof(std::uint64_t);
        std::memcpy(bytes_.data() + 8, &length, sizeof length);
        number(checksum(bytes_));
        return std::move(bytes_);
    }

private:
    void raw(const void* from, std::size_t size) { bytes_.append(static_cast<const char*>(from), size); }
    std::string bytes_;
};

class StateReader {
public:
    // `what` names in words whose state it should be.
    StateReader(std::string_view bytes, std::uint32_t kind, const char* what) : left_(bytes), what_(what) {
        constexpr std::size_t least = 24;
        if (bytes.size() < least) refuse("these ", bytes.size(), " bytes are not ", what_, "; they are too few");
        if (number<std::uint32_t>() != kind) refuse("these bytes are not ", what_);
        if (const auto version = number<std::uint32_t>(); version != kStateVersion)
            refuse("these bytes are ", what_, " in version ", version, "; this paucal reads version ", kStateVersion);
        if (const auto length = number<std::uint64_t>(); length != bytes.size())
            refuse("these bytes are ", what_, " of length ", length, ", and there are ", bytes.size());
        std::uint64_t sum;
        std::memcpy(&sum, bytes.data() + bytes.size() - 8, sizeof sum);
        left_.remove_suffix(8);
        if (sum != checksum(bytes.substr(0, bytes.size() - 8))) wrong("its checksum is wrong");
    }

    template <class T> T number() {
        T value;
        if (left_.size() < sizeof value) wrong("it ends too early");
        std::memcpy(&value, left_.data(), sizeof value);
        left_.remove_prefix(sizeof value);
        return value;
    }
    template <class T> std::vector<T> list() {
        const auto size = number<std::uint64_t>();
        if (size > left_.size() / sizeof(T)) wrong("a list is longer than what is left");
        std::vector<T> out(static_cast<std::size_t>(size));
        if (size) std::memcpy(out.data(), left_.data(), out.size() * sizeof(T));
        left_.remove_prefix(out.size() * sizeof(T));
        return out;
    }
    template <class T> std::vector<T> list(std::size_t size, const char* of) {
        std::vector<T> out = list<T>();
        if (out.size() != size) wrong(of, " has ", out.size(), " entries instead of ", size);
        return out;
    }
    Random random() {
        std::array<std::uint64_t, 4> words;
        for (std::uint64_t& word : words) word = number<std::uint64_t>();
        if (!(words[0] | words[1] | words[2] | words[3])) wrong("its random numbers have no state");
        return Random(words);
    }
    void end() const {
        if (!left_.empty()) wrong(left_.size(), " bytes are left over");
    }

    // Refuses the content.
    template <class... Parts> [[noreturn]] void wrong(const Parts&... parts) const {
        refuse("these bytes are a damaged ", what_ + 2, ": ", parts...);
    }
    void check(bool right, const char* otherwise) const {
        if (!right) wrong(otherwise);
    }

private:
    std::string_view left_;
    const char* what_;  // begins with "a "
};

}  // namespace paucal
