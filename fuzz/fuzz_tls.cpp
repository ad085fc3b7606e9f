// What a server sends by TLS, changed on its way: bytes turned, lost, repeated, put in, and cut into any pieces. What our end
// reads is what the server said, from its beginning on, and no byte else; what is broken stays so.
#include "check.hpp"
#include "decisions.hpp"
#include "io/tls/tls_client.hpp"
#include "support/temporary_folder.hpp"
#include "unit/tls/tls_peer.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::fuzz {
namespace {

using io::tls_session;
using progress = tls_session::progress;
using condition = tls_session::condition;

/// Made once: certificates take their time.
struct world {
    test::temporary_folder folder{};
    test::certificate_authority authority{};
    std::string ca_file = test::write_file(folder.path() / "ca.pem", authority.pem());
    test::tls_peer_server server{authority.issue()};

    std::unique_ptr<tls_session> begin() const {
        return io::make_tls_client({.ca_file = ca_file}, "localhost")->begin();
    }
};

/// Most of the time it changes nothing.
std::string on_its_way(decisions& next, std::string bytes) {
    if (bytes.empty() || !next.one_in(4)) return bytes;
    auto const at = (std::size_t{next.byte()} * 256 + next.byte()) % bytes.size();
    switch (next.below(4)) {
    case 0: bytes[at] = static_cast<char>(bytes[at] ^ (1 << next.below(8))); break;
    case 1: bytes.erase(at, 1 + next.below(32)); break;
    case 2: bytes.insert(at, bytes.substr(at, 1 + next.below(64))); break;
    case 3: bytes.insert(at, next.bytes(next.byte())); break;
    }
    return bytes;
}

class conversation {
public:
    conversation(world const& in, decisions from) : next_(from), peer_(in.server), mine_(in.begin()) {}

    void run() {
        if (!shake_hands()) return;
        std::string said;
        std::string read;
        auto then = condition::fine;
        bool closed = false;
        while (next_.more()) {
            auto const next_words = next_.bytes(next_.byte()); // used up in any case, so that this ends
            std::string const words(closed ? std::string_view() : next_words);
            said += words;
            auto coming = std::exchange(left_over_, {});
            if (!words.empty()) coming += peer_.say(words);
            if (!closed && next_.one_in(16)) {
                coming += peer_.close();
                closed = true;
            }
            coming = on_its_way(next_, std::move(coming));
            for (std::string_view rest = coming; !rest.empty();) {
                auto const piece = rest.substr(0, 1 + next_.below(200));
                rest.remove_prefix(piece.size());
                std::string room(piece.size() + tls_session::longest_record, '\0');
                auto const found = mine_->decrypt(piece, room.data(), room.size());
                check(found.bytes <= room.size(), "no more is read than there is room for");
                check(then == condition::fine || found.bytes == 0, "what has ended or is broken says nothing more");
                check(then != condition::broken || found.then == condition::broken, "what is broken stays so");
                read.append(room, 0, found.bytes);
                then = found.then;
            }
            check(said.starts_with(read), "what is read is what was said");
            check(then != condition::broken || !mine_->problem().empty(), "what is broken has a reason");
        }
    }

private:
    bool shake_hands() {
        std::string to_peer;
        auto result = mine_->shake_hands({}, to_peer);
        for (int round = 0; round < 10 && result == progress::more; ++round) {
            auto const coming = on_its_way(next_, peer_.take(std::exchange(to_peer, {})));
            for (std::string_view rest = coming; !rest.empty() && result != progress::failed;) {
                auto const piece = rest.substr(0, 1 + std::size_t{next_.byte()} * 16);
                rest.remove_prefix(piece.size());
                if (result == progress::done)
                    left_over_ += piece;
                else
                    result = mine_->shake_hands(piece, to_peer);
            }
        }
        if (result == progress::failed) check(!mine_->problem().empty(), "a handshake that fails has a reason");
        peer_.take(to_peer);
        return result == progress::done && peer_.established();
    }

    decisions next_;
    test::tls_peer peer_;
    std::unique_ptr<tls_session> mine_;
    std::string left_over_{};
};

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    static redlatch::fuzz::world const world;
    redlatch::fuzz::conversation(world, {data, size}).run();
    return 0;
}
