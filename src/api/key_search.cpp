#include "api/key_search.hpp"

#include "api/both_forms.hpp"
#include "api/scan_bounds.hpp"
#include "connection/server_error.hpp"
#include "io/query_batch.hpp"
#include "resp/command.hpp"

#include <redlatch/error.hpp>

#include <utility>

namespace redlatch::detail {

std::vector<resp::value> ask_together(std::shared_ptr<io::client_core> const& core, io::node& server,
                                      std::vector<std::string> commands, char const* subject) {
    return run_now<io::query_batch>(
        core, subject, [](io::query_batch const& answered) { return answered.replies(); }, &server, std::move(commands),
        subject);
}

void key_search::give_up(io::node& server, std::string const& reason) const {
    throw error(errc::bad_reply, std::string(subject_) + " was given up: SCAN on the server " + server.address()
                                     + " does not come to an end (" + reason
                                     + "); ask with a narrower pattern, or find out what answers there");
}

void key_search::must_be_page(io::node& server, resp::value const& reply) const {
    if (reply.is_error()) {
        auto const reason = connection::to_errc(connection::judge(reply));
        throw error(reason, io::query_message(server, subject_, reason, reply));
    }
    if (!reply.is_array() || reply.items.size() != 2 || !reply.items[0].is_text() || !reply.items[1].is_array())
        throw error(errc::bad_reply, "the server sent an unexpected reply to SCAN");
}

void key_search::visit(io::node& server, std::function<void(std::vector<std::string>)> const& each) {
    scan_bounds bounds;
    std::string cursor = "0";
    do {
        std::vector<std::string> commands;
        bool const begins = cursor == "0";
        if (begins) commands.push_back(resp::command("DBSIZE"));
        commands.push_back(resp::command("SCAN", cursor, "MATCH", pattern_, "COUNT", "500", "TYPE", type_));
        auto const answers = ask_together(core_, server, std::move(commands), subject_);
        if (begins) server.note_spare("dbsize", answers.front());
        if (begins && answers.front().is_integer()) bounds.set_keys(answers.front().integer);
        auto const& page = answers.back();
        must_be_page(server, page);
        std::vector<std::string> fresh;
        for (auto const& key : page.items[1].items)
            if (seen_.insert(key.text).second) fresh.push_back(key.text);
        cursor = page.items[0].text;
        auto const why = bounds.on_page(cursor, page.items[1].items.size(), fresh.size());
        if (!fresh.empty()) each(std::move(fresh));
        if (why) give_up(server, *why);
    } while (cursor != "0");
}

} // namespace redlatch::detail
