// SENTINEL.
#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/sentinel_view.hpp"

#include <string>
#include <utility>
#include <vector>

namespace redlatch::sim::commands {
namespace {

constexpr std::string_view no_such_master = "ERR No such master with that name";

// Null: it is answered.
sentinel_view const* view_of(call& one) {
    auto const* const view = one.node.settings.sentinel;
    if (view == nullptr) reply::error(one.out, "ERR unknown command 'SENTINEL', with args beginning with: ");
    return view;
}

void fields(std::string& out, std::vector<std::pair<std::string, std::string>> const& all) {
    reply::array(out, 2 * all.size());
    for (auto const& [name, value] : all) {
        reply::bulk(out, name);
        reply::bulk(out, value);
    }
}

} // namespace

void sentinel_address(call& one) {
    auto const* const view = view_of(one);
    if (view == nullptr) return;
    if (one[2] != view->name) return one.out.append("*-1\r\n"), void();
    reply::array(one.out, 2);
    reply::bulk(one.out, view->host);
    reply::bulk(one.out, std::to_string(view->port));
}

void sentinel_master(call& one) {
    auto const* const view = view_of(one);
    if (view == nullptr) return;
    if (one[2] != view->name) return reply::error(one.out, no_such_master);
    fields(one.out, {{"name", view->name},
                     {"ip", view->host},
                     {"port", std::to_string(view->port)},
                     {"config-epoch", std::to_string(view->epoch)},
                     {"num-other-sentinels", std::to_string(view->others.size())},
                     {"quorum", "2"}});
}

void sentinel_sentinels(call& one) {
    auto const* const view = view_of(one);
    if (view == nullptr) return;
    if (one[2] != view->name) return reply::error(one.out, no_such_master);
    reply::array(one.out, view->others.size());
    for (auto const port : view->others) fields(one.out, {{"ip", view->host}, {"port", std::to_string(port)}});
}

} // namespace redlatch::sim::commands
