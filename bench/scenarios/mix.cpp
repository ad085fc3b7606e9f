#include "scenarios/contenders.hpp"
#include "scenarios/mix_processes.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace redlatch::bench {

namespace {

using namespace std::chrono_literals;

constexpr char const* redisson = "Redisson";

/// More JVMs do not fit on a small machine; then each has several clients.
constexpr int most_jvms = 8;

struct row {
    mix_shape shape;
    std::vector<aim> aims{};
};

std::vector<aim> fair_shares() {
    return {at_most(1.5, figure::process_spread), at_most(1, redisson, figure::longest)};
}

std::vector<aim> few_commands(double bound) {
    return {at_most(bound, figure::commands)};
}

std::vector<row> const rows{{{4, 1, 1, 0, 500us, 500us}, fair_shares()},
                            {{8, 2, 16, 1.2, 2000us, 500us}, fair_shares()},
                            {{3, 3, 1, 0, 5000us, 2000us}, fair_shares()},
                            {{4, 8, 64, 1.0, 200us, 0us}},
                            {{8, 1, 1, 0, 0us, 0us}},
                            {{2, 1, 1, 0, 0us, 0us}},
                            {{4, 1, 1, 0, 20us, 20us}},
                            {{32, 1, 1, 0, 50us, 0us}}};

/// Some processes of one kind.
struct part {
    std::optional<peer> who; ///< none: ours
    mix_shape shape;
};

/// Puts processes into a cast, which needs the board of all.
class casting {
public:
    casting(stage const& on, mix_board const& board) : on_(on), board_(board) {}

    void add(part const& some) { some.who ? add_peers(*some.who, some.shape) : add_ours(some.shape); }
    mix_cast result() && { return std::move(cast_); }

private:
    void add_ours(mix_shape const& shape) {
        auto const settings = settings_for(on_.at.tcp(), {});
        for (int process = 0; process < shape.processes; ++process) {
            cast_.processes.push_back(our_process(settings, shape, board_, workers_));
            count(shape, 1);
        }
    }

    void add_peers(peer const& who, mix_shape const& shape) {
        int jvms = std::min(most_jvms, shape.processes);
        while (shape.processes % jvms != 0) --jvms;
        std::vector<std::shared_ptr<peer_process>> members;
        for (int jvm = 0; jvm < jvms; ++jvm) members.push_back(on_.others.process(who, on_.at.tcp(), jvms_++));
        for (auto const& each : members) {
            each->wake();
            if (!each->has_played()) each->prepare("shared", 1); // it gets warm by what it will do
        }
        for (auto const& each : members) each->await_ready();
        for (auto const& each : members) {
            cast_.processes.push_back(peer_process_in(each, shape, board_, workers_, shape.processes / jvms));
            count(shape, shape.processes / jvms);
        }
    }

    void count(mix_shape const& shape, int clients) {
        cast_.clients.insert(cast_.clients.end(), static_cast<std::size_t>(clients), shape.threads);
        workers_ += static_cast<std::size_t>(clients * shape.threads);
    }

    stage const& on_;
    mix_board const& board_;
    mix_cast cast_{};
    std::size_t workers_ = 0;
    int jvms_ = 0;
};

std::size_t workers_of(mix_shape const& shape) {
    return static_cast<std::size_t>(shape.processes) * static_cast<std::size_t>(shape.threads);
}

/// Some processes, and a guest of another kind where there is one.
contender mixed(stage const& on, std::string const& title, part const& hosts, std::optional<part> const& guest,
                std::vector<aim> aims) {
    auto const round = [=](std::chrono::milliseconds period) {
        mix_board const board(static_cast<std::size_t>(hosts.shape.locks),
                              workers_of(hosts.shape) + (guest ? workers_of(guest->shape) : 0));
        try {
            casting all(on, board);
            all.add(hosts);
            if (guest) all.add(*guest);
            auto cast = std::move(all).result();
            if (guest) {
                cast.guests = static_cast<int>(workers_of(guest->shape));
                cast.clients.resize(static_cast<std::size_t>(hosts.shape.processes));
            }
            return play_mix(on.at, board, cast, period);
        } catch (...) {
            for (auto const& some : {std::optional(hosts), guest})
                if (some && some->who) on.others.forget(*some->who);
            throw;
        }
    };
    return {title, round, std::move(aims), hosts.who || guest};
}

std::vector<contender> both_kinds(stage const& on, mix_shape const& shape, std::string const& title,
                                  std::vector<aim> aims) {
    std::vector<contender> result{mixed(on, "redlatch" + title, {std::nullopt, shape}, std::nullopt, std::move(aims))};
    for (auto const& who : on.others.all())
        if (who.can("mix")) result.push_back(mixed(on, who.title + title, {who, shape}, std::nullopt, {}));
    return result;
}

scenario table(std::string const& name) {
    scenario one{"mix " + name, "acquisitions/s", true, {}};
    one.longest_sample = 500ms;
    one.usual_period = 2000ms;
    return one;
}

/// How many commands an acquisition takes, by the number of those who wait.
scenario herd(stage const& on) {
    scenario one = table("herd");
    one.usual_period = 4000ms; // some turns for each of 300
    for (auto const& [clients, most] : {std::pair{2, 4.0}, {8, 4.0}, {32, 6.0}, {300, 6.0}}) {
        auto aims = few_commands(most);
        if (clients == 300) aims.push_back(at_most(3, figure::longest_rounds));
        for (auto& each :
             both_kinds(on, {clients, 1, 1, 0, 1000us, 0us}, ", " + std::to_string(clients) + " clients", aims))
            one.contenders.push_back(std::move(each));
    }
    return one;
}

/// One thread of Redisson among processes of ours, and among its own kind.
std::vector<scenario> guests(stage const& on) {
    std::vector<scenario> result;
    mix_shape const hosts{4, 2, 1, 0, 1000us, 0us};
    mix_shape const one_thread{1, 1, 1, 0, 1000us, 0us};
    for (auto const& who : on.others.all()) {
        if (!who.can("mix")) continue;
        auto one = table(name_of(hosts) + ", and one thread of " + who.title);
        // Of five processes a fifth would be fair.
        one.contenders = {mixed(on, "redlatch", {std::nullopt, hosts}, part{who, one_thread},
                                {at_least(0.6 / 5 * 100, {}, figure::guest_share), at_most(500, figure::guest_longest),
                                 at_most(500, figure::longest)}),
                          mixed(on, who.title, {who, hosts}, part{who, one_thread}, {})};
        result.push_back(std::move(one));
    }
    return result;
}

} // namespace

std::vector<scenario> mix(stage const& on) {
    std::vector<scenario> result;
    for (auto const& each : rows) {
        auto one = table(name_of(each.shape));
        one.contenders = both_kinds(on, each.shape, {}, each.aims);
        result.push_back(std::move(one));
    }
    result.push_back(herd(on));
    for (auto& each : guests(on)) result.push_back(std::move(each));
    return result;
}

} // namespace redlatch::bench
