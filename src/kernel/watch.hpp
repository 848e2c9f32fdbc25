// Somebody who waits for long work, is told now and then how far it is, and may end it.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace paucal {

class Watch {
public:
    // Called by the thread that waits, with what is done so far; true ends the work. What it throws ends it too.
    using Look = std::function<bool(std::uint64_t)>;
    static constexpr std::chrono::milliseconds kEvery{50};

    explicit Watch(Look look) : look_(std::move(look)), next_(Clock::now() + kEvery) {}

    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
    void add(std::uint64_t done) { done_.fetch_add(done, std::memory_order_relaxed); }

    // From the work, often: any thread sees that it is to end; the one that waits looks when it is time.
    bool pulse() {
        if (!stopped() && std::this_thread::get_id() == waiting_ && Clock::now() >= next_) look();
        return stopped();
    }

    // By the thread that waits.
    void look() {
        if (stopped()) return;
        next_ = Clock::now() + kEvery;
        try {
            if (look_(done_.load(std::memory_order_relaxed))) stop();
        } catch (...) {
            stop();
            throw;
        }
    }
    void stop() { stopped_.store(true, std::memory_order_relaxed); }

private:
    using Clock = std::chrono::steady_clock;
    Look look_;
    std::thread::id waiting_ = std::this_thread::get_id();
    Clock::time_point next_;  // of the thread that waits alone
    std::atomic<std::uint64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

}  // namespace paucal
