// Random numbers that are the same on every machine: xoshiro256++ (Blackman and Vigna 2019), seeded by splitmix64.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

namespace paucal {

// Scrambles 64 bits: the last steps of splitmix64.
inline constexpr std::uint64_t mix(std::uint64_t h) {
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ h >> 27) * 0x94D049BB133111EBull;
    return h ^ h >> 31;
}

class Random {
public:
    // Different streams of one seed are independent for all practical purposes.
    Random(std::uint64_t seed, std::uint64_t stream) {
        std::uint64_t x = seed ^ splitmix(stream);
        for (std::uint64_t& s : state_) s = splitmix(x);
    }

    // Goes on where another one is.
    explicit Random(const std::array<std::uint64_t, 4>& state) : state_(state) {}
    const std::array<std::uint64_t, 4>& state() const { return state_; }

    std::uint64_t operator()() {
        const std::uint64_t out = std::rotl(state_[0] + state_[3], 23) + state_[0], t = state_[1] << 17;
        state_[2] ^= state_[0], state_[3] ^= state_[1], state_[1] ^= state_[2], state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return out;
    }

    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }  // 0 <= u < 1

    // 0 .. n-1. The bias of the multiplication is n / 2^64.
    std::uint32_t below(std::uint32_t n) {
        const std::uint64_t x = (*this)();
        return static_cast<std::uint32_t>(((x >> 32) * n + ((x & 0xFFFFFFFFu) * n >> 32)) >> 32);
    }

    template <class Items> void shuffle(Items& items) {
        for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
    }

private:
    static std::uint64_t splitmix(std::uint64_t& x) { return mix(x += 0x9E3779B97F4A7C15ull); }

    std::array<std::uint64_t, 4> state_;
};

}  // namespace paucal
