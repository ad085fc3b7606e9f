// One of several candidates leads, the others wait and know who it is. In a service each candidate is a process of its own and
// stays in run_as_leader() until it is told to stop; here two share one, and each leads once.
#include <redlatch/redlatch.hpp>

#include <cstdint>
#include <iostream>
#include <thread>

namespace {

void show(std::optional<redlatch::leader_info> const& leader) {
    std::cout << (leader ? leader->candidate : "nobody") << " leads\n";
}

} // namespace

int main() {
    redlatch::client client;
    redlatch::leader_election ann = client.get_leader_election("reports", {.candidate = "ann"});
    redlatch::leader_election bob = client.get_leader_election("reports", {.candidate = "bob"});

    redlatch::leadership term = ann.campaign();
    show(bob.leader());
    std::uint64_t const token = term.token();

    std::jthread const other([&] {
        bob.run_as_leader([&](redlatch::leadership& next) { // called when bob leads; he resigns when it returns
            show(ann.leader());
            std::cout << (next.token() > token ? "a greater token\n" : "the same token\n");
        });
    });
    auto const seen = ann.leader();
    term.resign();
    ann.wait_for_change(seen); // woken by the resignation
}
