// What the tests of docs/redisson_defects.md share. They come in pairs: java_... shows a defect of Redisson, ours_... that
// redlatch does not have it. If a java_... test fails, Redisson has mended the defect: judge its row on that page anew.
#pragma once

#include "behaviour/kinds.hpp"
#include "interop_test.hpp"
#include "support/temporary_folder.hpp"

#include <string>
#include <vector>

namespace redlatch::test {

/// Redisson with what an address cannot say: by a file of its settings.
class java_with_settings : temporary_folder, public java_peer {
public:
    explicit java_with_settings(std::string const& yaml, std::chrono::milliseconds watchdog_timeout = 30s);
};

class redisson_defects_test : public interop_test {
protected:
    /// For what must not happen to show itself.
    static constexpr std::chrono::milliseconds a_moment{200};

    static bool still_waits(java_peer::ticket which, java_peer& peer = java()) {
        return !peer.reply_if_any(which, a_moment);
    }
    /// InterruptedException in the command that runs on that thread.
    static void interrupt(java_peer& peer, std::string const& thread) { peer.value("main", "interrupt", {thread}); }
    static long long server_milliseconds();

    /// Writes reach the server and wait there, from construction to destruction; reads are executed.
    class writes_paused {
    public:
        explicit writes_paused(redis_server const& where = server()) : where_(where) {
            where_.run("CLIENT", "PAUSE", "15000", "WRITE");
        }
        writes_paused(writes_paused const&) = delete;
        ~writes_paused() { where_.run("CLIENT", "UNPAUSE"); }
        /// So many clients have sent one.
        bool hold_up(int clients) const;
        /// One of them has sent something more behind it.
        bool hold_up_more() const;
        /// Breaks their connections: what they sent is never executed.
        void break_connections() const;

    private:
        /// Of those that have sent one, as CLIENT LIST has them.
        std::vector<std::string> held_up() const;

        redis_server const& where_;
    };

    client brief_cpp{as_variant(config{.address = server().uri(), .lock_watchdog_timeout = brief_watchdog})};
};

} // namespace redlatch::test
