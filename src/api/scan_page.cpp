#include "api/scan_page.hpp"

#include "connection/server_error.hpp"
#include "io/query_op.hpp"

namespace redlatch::detail {

void must_be_page(io::node& server, char const* subject, resp::value const& reply) {
    if (reply.is_error()) {
        auto const reason = connection::to_errc(connection::judge(reply));
        throw error(reason, io::query_message(server, subject, reason, reply));
    }
    if (!reply.is_array() || reply.items.size() != 2 || !reply.items[0].is_text() || !reply.items[1].is_array())
        throw error(errc::bad_reply, "the server sent an unexpected reply to SCAN");
}

error endless_scan(io::node const& server, char const* subject, std::string const& reason) {
    return error(errc::bad_reply, std::string(subject) + " was given up: SCAN on the server " + server.address()
                                      + " does not come to an end (" + reason
                                      + "); ask with a narrower pattern, or find out what answers there");
}

} // namespace redlatch::detail
