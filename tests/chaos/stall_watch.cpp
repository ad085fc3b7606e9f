#include "stall_watch.hpp"

#include <algorithm>
#include <chrono>

namespace redlatch::chaos {

stall_watch::stall_watch()
    : thread_([this](std::stop_token const& ending) {
          constexpr std::chrono::milliseconds tick(10);
          for (auto last = now_us(); !ending.stop_requested();) {
              // sleeps because how long a sleep takes is what it measures
              std::this_thread::sleep_for(tick);
              auto const now = now_us();
              longest_ = std::max(longest_.load(), now - last - std::chrono::microseconds(tick).count());
              last = now;
          }
      }) {}

} // namespace redlatch::chaos
