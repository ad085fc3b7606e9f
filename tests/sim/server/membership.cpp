#include "sim/server/membership.hpp"

#include "sim/server/key_slot.hpp"

namespace redlatch::sim {
namespace {

constexpr int bus_offset = 10'000;

std::string_view host_for(membership::naming names) {
    switch (names) {
    case membership::naming::usual: break;
    case membership::naming::no_host: return {};
    case membership::naming::refusing: return refusing_host;
    case membership::naming::unreachable: return unreachable_host;
    }
    return servers_host;
}

/// By member: "0-5460 5462".
std::vector<std::string> slots_of(membership const& of) {
    std::vector<std::string> ranges(of.members.size());
    for (unsigned first = 0; first < slots_in_all;) {
        auto end = first + 1;
        while (end < slots_in_all && of.owners[end] == of.owners[first]) ++end;
        if (of.owners[first] != membership::nobody) {
            auto& text = ranges[static_cast<std::size_t>(of.owners[first])];
            text += (text.empty() ? "" : " ") + std::to_string(first);
            if (end - first > 1) text += "-" + std::to_string(end - 1);
        }
        first = end;
    }
    return ranges;
}

} // namespace

std::string membership::nodes() const {
    auto const slots = slots_of(*this);
    std::string text;
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto const& one = members[i];
        bool const self = static_cast<int>(i) == me;
        if (!one.known && !self) continue;
        auto const host = names == naming::no_host && !self ? servers_host : host_for(names);
        text += one.id + " " + std::string(host) + ":" + std::to_string(one.port) + "@"
                + std::to_string(one.port + bus_offset) + (self ? " myself," : " ")
                + (one.master == nobody ? "master -" : "slave " + members.at(static_cast<std::size_t>(one.master)).id)
                + " 0 0 " + std::to_string(one.epoch) + " connected";
        if (!slots[i].empty()) text += " " + slots[i];
        if (self) {
            for (auto const& [slot, to] : migrating)
                text += " [" + std::to_string(slot) + "->-" + members.at(static_cast<std::size_t>(to)).id + "]";
            for (auto const& [slot, from] : importing)
                text += " [" + std::to_string(slot) + "-<-" + members.at(static_cast<std::size_t>(from)).id + "]";
        }
        text += "\n";
    }
    return text;
}

std::string membership::address_of(int which) const {
    return std::string(host_for(names)) + ":" + std::to_string(members.at(static_cast<std::size_t>(which)).port);
}

} // namespace redlatch::sim
