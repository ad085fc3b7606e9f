// The encryption of one connection, without a socket: bytes in, bytes out.
#pragma once

#include <redlatch/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace redlatch::io {

/// One thread may encrypt while another one decrypts.
class tls_session {
public:
    enum class progress { more, done, failed };
    enum class condition { fine, ended, broken };
    struct decrypted {
        std::size_t bytes = 0; ///< of plain text; some may stand before an end
        condition then = condition::fine;
    };

    /// So much plain text becomes one record: the server can read none of it before it has the whole record.
    static constexpr std::size_t longest_record = 16 * 1024;

    tls_session() = default;
    tls_session(tls_session const&) = delete;
    tls_session& operator=(tls_session const&) = delete;
    virtual ~tls_session() = default;

    /// Takes what the server has sent, at first nothing, and appends what it is to be sent, after `failed` too.
    virtual progress shake_hands(std::string_view received, std::string& to_send) = 0;
    /// Appends the record of at most longest_record bytes. False: broken.
    virtual bool encrypt(std::string_view plain, std::string& to_send) = 0;
    /// All that can be read of what has come. `room` is for these bytes and one record more.
    virtual decrypted decrypt(std::string_view received, char* into, std::size_t room) = 0;

    /// After failed or broken: what the server did, and what to do, to be read after "the server X".
    virtual std::string problem() const = 0;
    /// disconnected: trying again may help.
    virtual errc reason() const = 0;
    /// The handshake was a short one: the server has remembered us.
    virtual bool resumed() const = 0;
};

} // namespace redlatch::io
