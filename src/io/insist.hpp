// Memory may be missing for a moment in the middle of what can neither be undone nor be left half done.
#pragma once

#include <chrono>
#include <new>
#include <thread>

namespace redlatch::io {

/// Does `act`, that has no effect when it throws, and tries again while there is no memory for it, for a quarter of a second.
/// False: in vain. With no mutex of ours held.
template <class Act> bool insist(Act act) noexcept {
    constexpr int most_tries = 50;
    constexpr std::chrono::milliseconds pause{5};
    for (int tries = 0; tries < most_tries; ++tries) {
        if (tries > 0) std::this_thread::sleep_for(pause);
        try {
            act();
            return true;
        } catch (std::bad_alloc const&) { // somebody may give some back
        } catch (...) {
            return false;
        }
    }
    return false;
}

} // namespace redlatch::io
