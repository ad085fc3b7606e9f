// A session of ours and a peer, and the bytes between them.
#pragma once

#include "io/tls/tls_client.hpp"
#include "support/temporary_folder.hpp"
#include "tls_peer.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace redlatch::test {

/// A client's end that the test holds, and a server's.
class conversation {
public:
    using progress = io::tls_session::progress;
    using condition = io::tls_session::condition;

    conversation(io::tls_client& client, tls_peer_server const& server) : mine_(client.begin()), peer_(server) {}

    io::tls_session& mine() noexcept { return *mine_; }
    tls_peer& peer() noexcept { return peer_; }

    /// The handshake in pieces of so many bytes; `more` if it stands still.
    progress shake_hands(std::size_t piece = std::size_t{1} << 20) {
        std::string to_peer;
        auto result = mine_->shake_hands({}, to_peer);
        for (int round = 0; round < 10; ++round) {
            std::string to_me;
            for (std::string_view rest = to_peer; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size())))
                to_me += peer_.take(rest.substr(0, piece));
            to_peer.clear();
            if (result != progress::more) {
                left_over_ += to_me;
                return result;
            }
            for (std::string_view rest = to_me; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
                if (result == progress::done)
                    left_over_ += rest.substr(0, piece);
                else
                    result = mine_->shake_hands(rest.substr(0, piece), to_peer);
                if (result == progress::failed) break;
            }
        }
        return result;
    }

    /// What our side reads of these bytes, given in pieces. What the peer sent behind its handshake comes first.
    std::string read(std::string_view bytes, std::size_t piece = std::size_t{16} * 1024) {
        std::string const all = std::exchange(left_over_, {}).append(bytes);
        std::string text;
        for (std::string_view rest = all; !rest.empty() && then == condition::fine;
             rest.remove_prefix(std::min(piece, rest.size()))) {
            std::string room(std::size_t{48} * 1024, '\0');
            auto const found = mine_->decrypt(rest.substr(0, piece), room.data(), room.size());
            text.append(room, 0, found.bytes);
            then = found.then;
        }
        return text;
    }
    /// After read().
    condition then = condition::fine;

    /// What the peer reads of this text.
    void say(std::string_view text) {
        for (; !text.empty(); text.remove_prefix(std::min(text.size(), io::tls_session::longest_record))) {
            std::string bytes;
            ASSERT_TRUE(mine_->encrypt(text.substr(0, io::tls_session::longest_record), bytes));
            peer_.take(bytes);
        }
    }

private:
    std::unique_ptr<io::tls_session> mine_;
    tls_peer peer_;
    std::string left_over_;
};

/// An authority that is trusted, in a file.
struct tls_world {
    temporary_folder folder;
    certificate_authority authority;
    std::string ca_file = write_file(folder.path() / "ca.pem", authority.pem());

    std::string file(std::string const& name, std::string const& text) const {
        return write_file(folder.path() / name, text);
    }
    std::shared_ptr<io::tls_client> client(tls_options options = {}, std::string const& host = "localhost") const {
        if (options.ca_file.empty()) options.ca_file = ca_file;
        return io::make_tls_client(options, host);
    }
};

} // namespace redlatch::test
