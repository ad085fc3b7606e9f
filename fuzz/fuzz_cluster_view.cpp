// Any text as what a node of a cluster says of all, and as a redirect: slots that exist, addresses that can be dialled, or
// nothing.
#include "base/hash_slot.hpp"
#include "check.hpp"
#include "connection/cluster_view.hpp"
#include "connection/redirect.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace redlatch::fuzz {
namespace {

void expect_address(connection::node_address const& where) {
    check(where.host.size() <= 253, "a host is no longer than DNS allows");
    for (char const byte : where.host) check(byte > ' ' && byte < 127, "a host has no control characters");
}

void read_view(std::string_view text, bool hostnames) {
    auto const view = connection::read_cluster_view(text, "asked", hostnames);
    if (!view) return;
    for (auto const& master : view->masters) {
        check(!master.slots.empty(), "a master has slots");
        check(master.where.port != 0 && !master.where.host.empty(), "a master can be dialled");
        expect_address(master.where);
        for (auto const& range : master.slots)
            check(range.first <= range.last && range.last < base::hash_slots, "a slot exists");
    }
}

void read_redirect(std::string_view text) {
    resp::value reply;
    reply.type = resp::value::kind::error;
    reply.text = text;
    auto const elsewhere = connection::read_redirect(reply);
    if (!elsewhere) return;
    check(elsewhere->slot < base::hash_slots, "a slot exists");
    expect_address(elsewhere->where);
}

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    redlatch::fuzz::read_view(text, false);
    redlatch::fuzz::read_view(text, true);
    redlatch::fuzz::read_redirect(text);
    redlatch::fuzz::check(redlatch::base::hash_slot(text) < redlatch::base::hash_slots, "a key has a slot");
    return 0;
}
