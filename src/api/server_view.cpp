#include "api/server_view.hpp"

#include "connection/connect_op.hpp"
#include "connection/server_error.hpp"
#include "io/query.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

namespace redlatch::detail {
namespace {

void read_info(std::string const& text, server_info& into) {
    auto const valkey = connection::info_field(text, "valkey_version", ':', "\r\n");
    into.software = valkey.empty() ? "redis" : "valkey";
    into.version = valkey.empty() ? connection::info_field(text, "redis_version", ':', "\r\n") : valkey;
}

void read_hello(std::vector<resp::value> const& names_and_values, server_info& into) {
    for (std::size_t i = 0; i + 1 < names_and_values.size(); i += 2) {
        if (names_and_values[i].text == "server") into.software = names_and_values[i + 1].text;
        if (names_and_values[i].text == "version") into.version = names_and_values[i + 1].text;
    }
}

} // namespace

std::vector<std::string> ask_who_is_there() {
    return {resp::command("INFO", "server"), resp::command("HELLO")};
}

std::function<server_info(io::query_batch const&)> server_that_answered(io::node& asked) {
    return [&asked, began = lease_clock::now()](io::query_batch const& answered) {
        auto const& info = answered.replies().at(0);
        auto const& hello = answered.replies().at(1);
        asked.note_spare("info", info);
        server_info server;
        server.round_trip = std::chrono::duration_cast<std::chrono::microseconds>(lease_clock::now() - began);
        server.address = asked.address();
        if (info.is_text())
            read_info(info.text, server);
        else if (hello.is_array())
            read_hello(hello.items, server);
        else if (!info.is_error())
            throw error(errc::bad_reply, "the server " + server.address + " sent an unexpected reply to INFO");
        else if (!connection::is_missing_right(info))
            throw error(errc::server_refused, io::query_message(asked, about_server, errc::server_refused, info));
        return server;
    };
}

} // namespace redlatch::detail
