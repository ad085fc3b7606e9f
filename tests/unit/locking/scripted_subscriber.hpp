// A registry of subscriptions and what its lane does to it, by hand: connections come and go, the server speaks.
#pragma once

#include "locking/subscription_registry.hpp"
#include "scripted/replies.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace redlatch::locking {

inline resp::value confirmed(std::string const& kind, std::string const& name) {
    return scripted::array({scripted::string(kind), scripted::string(name), scripted::integer(1)});
}
inline resp::value message(std::string const& name, std::string const& text = "0") {
    return scripted::array({scripted::string("message"), scripted::string(name), scripted::string(text)});
}
inline resp::value pong() {
    return scripted::array({scripted::string("pong"), scripted::string("")});
}
inline resp::value refused() {
    return scripted::error("NOPERM this user has no permissions to access one of the channels");
}

/// A registry and the subscriber's lane, by hand.
struct subscriber {
    subscription_registry registry;
    base::wake_list woken;
    base::instant now = scripted::beginning;

    void up() { registry.on_up({}, now, woken); }
    void down() {
        registry.on_down(now, woken);
        woken.wake_all();
    }
    bool hears(resp::value what) {
        bool const made_sense = registry.on_value(std::move(what), now, woken);
        woken.wake_all();
        return made_sense;
    }
    /// Commands that were staged since the last look.
    std::vector<std::string> said() {
        std::string bytes;
        registry.out.take(bytes);
        return scripted::commands_in(bytes);
    }
    /// A channel that is subscribed to, with one waiter.
    channel_ptr listening(std::string const& name) {
        auto const one = registry.attach(name);
        registry.subscribe(one);
        said();
        hears(confirmed("subscribe", name));
        EXPECT_EQ(one->now_in, channel::state::subscribed);
        return one;
    }
};

struct connected : subscriber {
    connected() { up(); }
};

} // namespace redlatch::locking
