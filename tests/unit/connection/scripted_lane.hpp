// A multiplexer and what its lane does to it, by hand: connections come and go, the operating system takes bytes, replies come.
#pragma once

#include "connection/multiplexer.hpp"
#include "resp/command.hpp"
#include "scripted/replies.hpp"
#include "scripted/virtual_time.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::connection {

/// Connection `number` to run `run` of a server.
inline identity who(int number, std::string run = "run1") {
    return {number, "127.0.0.1:" + std::to_string(40'000 + number), std::move(run), "redis", "7.0.15"};
}

/// What a new connection says of connection `number`.
inline std::string kill_of(int number) {
    return "CLIENT KILL ID " + std::to_string(number) + " ADDR 127.0.0.1:" + std::to_string(40'000 + number);
}

inline call_ptr make_call(std::string_view word, base::waker waker = {}) {
    auto one = std::make_shared<call>();
    one->bytes = resp::command(word);
    one->waker = std::move(waker);
    return one;
}

struct scripted_lane {
    multiplexer traffic;
    base::instant now = scripted::beginning;
    base::wake_list woken;
    std::string sent; ///< what the operating system took on the present connection

    void up(identity const& self) {
        sent.clear();
        traffic.on_up(self, now, woken);
    }
    void down() { traffic.on_down(now, woken); }

    /// Hands everything over that is staged; the operating system does not take the last `kept` bytes.
    void send(std::size_t kept = 0) {
        std::string bytes;
        traffic.out.take(bytes);
        ASSERT_LE(kept, bytes.size());
        traffic.out.not_taken(kept);
        sent.append(bytes, 0, bytes.size() - kept);
    }
    bool reply(resp::value what) {
        bool const made_sense = traffic.on_value(std::move(what), now, woken);
        woken.wake_all();
        return made_sense;
    }
    call_ptr submit(std::string_view word, base::waker waker = {}) {
        auto one = make_call(word, std::move(waker));
        traffic.submit(one, now);
        return one;
    }
    call_ptr submit_once(std::string_view word, base::waker waker = {}) {
        auto one = make_call(word, std::move(waker));
        one->once = true;
        traffic.submit(one, now);
        return one;
    }
    std::vector<std::string> commands() const { return scripted::commands_in(sent); }
};

} // namespace redlatch::connection
