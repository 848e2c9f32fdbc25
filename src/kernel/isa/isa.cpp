#include "isa/isa.hpp"

#include <atomic>

#if defined(PAUCAL_X86_LEVELS) && defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#endif

namespace paucal {

extern const HotCounts counts_portable;
extern const HotSums sums_portable;
extern const HotMoments moments_portable;
#ifdef PAUCAL_X86_LEVELS
extern const HotCounts counts_v2, counts_v3, counts_v4;
extern const HotSums sums_v2, sums_v3;
extern const HotMoments moments_v2, moments_v3;
#endif

namespace {

const Hot portable{"portable", counts_portable, sums_portable, moments_portable};

#ifdef PAUCAL_X86_LEVELS

const Hot v2{"v2", counts_v2, sums_v2, moments_v2}, v3{"v3", counts_v3, sums_v3, moments_v3};
const Hot v4{"v4", counts_v4, sums_v3, moments_v3};  // wider registers pay where bits are counted only

struct Machine {
    bool has_v2 = false, has_v3 = false, has_v4 = false;

#if defined(_MSC_VER)  // clang-cl: the library behind __builtin_cpu_supports is not linked there
    Machine() {
        int leaf1[4], leaf7[4] = {};
        __cpuid(leaf1, 1);
        __cpuidex(leaf7, 7, 0);
        const auto bit = [](int word, int at) { return (word >> at & 1) != 0; };
        has_v2 = bit(leaf1[2], 20) && bit(leaf1[2], 23);  // SSE4.2, POPCNT
        const unsigned long long kept = bit(leaf1[2], 27) ? state_of_registers() : 0;  // the wide registers, by the system
        has_v3 = has_v2 && (kept & 0x06) == 0x06 && bit(leaf1[2], 12) && bit(leaf7[1], 5) && bit(leaf7[1], 8);  // FMA, AVX2, BMI2
        has_v4 = has_v3 && (kept & 0xE6) == 0xE6 && bit(leaf7[1], 16) && bit(leaf7[2], 14);  // AVX-512 F, VPOPCNTDQ
    }

private:
    __attribute__((target("xsave"))) static unsigned long long state_of_registers() { return _xgetbv(0); }
#else
    Machine() {
        __builtin_cpu_init();
        has_v2 = __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
        has_v3 = has_v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                 __builtin_cpu_supports("fma");
        has_v4 = has_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq");
    }
#endif
};

#endif

// Null if this machine does not have it.
const Hot* called(std::string_view name) {
#ifdef PAUCAL_X86_LEVELS
    static const Machine machine;
    const bool best = name == "best";
    if (machine.has_v4 && (best || name == "v4")) return &v4;
    if (machine.has_v3 && (best || name == "v3")) return &v3;
    if (machine.has_v2 && (best || name == "v2")) return &v2;
#endif
    return name == "best" || name == "portable" ? &portable : nullptr;
}

std::atomic<const Hot*> chosen = called("best");

}  // namespace

const Hot& hot() { return *chosen.load(std::memory_order_relaxed); }

bool use_isa(std::string_view name) {
    const Hot* wanted = called(name);
    if (wanted) chosen.store(wanted, std::memory_order_relaxed);
    return wanted != nullptr;
}

}  // namespace paucal
