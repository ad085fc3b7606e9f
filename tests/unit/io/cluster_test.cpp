// Which node has a slot, of what scripted nodes believe.
#include "io/cluster.hpp"
#include "io/scripted_server.hpp"
#include "io/unattended.hpp"
#include "locking/wire_call.hpp"

#include <atomic>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using test::wait_until;

/// Answers on a thread of its own for as long as somebody is connected.
class cluster_node {
public:
    explicit cluster_node(scripted_server::begins when = scripted_server::begins::at_once)
        : server("127.0.0.1", 0, when) {}

    scripted_server server;
    /// The answer to the n-th CLUSTER NODES, counted from one.
    std::function<std::string(int)> view;
    /// The answer to the n-th question about messages of shards.
    std::function<std::string(int)> about_shards = [](int) { return "*0\r\n"; };
    /// The answer to anything else.
    std::function<std::string(std::string const&)> answer = [](std::string const&) { return "+OK\r\n"; };
    std::atomic<int> asked{0};
    std::atomic<int> asked_about_shards{0};

    ~cluster_node() {
        if (thread_.joinable()) thread_.join();
    }
    void begin() {
        thread_ = std::thread([this] {
            server.accept();
            for (auto command = server.read_command(); command != "end of stream"; command = server.read_command())
                if (!server.try_to_say(answer_to(command))) break;
        });
    }
    /// A line of CLUSTER NODES.
    std::string line(char const* id, int epoch, std::string const& slots, bool itself) const {
        auto const port = std::to_string(server.where().port);
        return std::string(id) + " 127.0.0.1:" + port + "@1 " + (itself ? "myself," : "") + "master - 0 0 "
               + std::to_string(epoch) + " connected" + (slots.empty() ? "" : " " + slots) + "\n";
    }

private:
    std::string answer_to(std::string const& command) {
        if (command == "CLUSTER NODES") {
            auto const text = view(asked + 1);
            ++asked;
            return text.starts_with('-') ? text : bulk(text);
        }
        if (command == "PUBSUB SHARDNUMSUB 0") {
            auto const text = about_shards(asked_about_shards + 1);
            ++asked_about_shards;
            return text;
        }
        if (command == "CLIENT INFO") return bulk("id=7 addr=127.0.0.1:7");
        if (command.starts_with("INFO")) return bulk("run_id:abc\r\nredis_version:7.0.15\r\ncluster_enabled:1\r\n");
        return answer(command);
    }

    std::thread thread_;
};

class cluster_test : public ::testing::Test {
protected:
    explicit cluster_test(scripted_server::begins when = scripted_server::begins::at_once) : second(when) {}

    cluster_node first;
    cluster_node second;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    std::shared_ptr<cluster> all;
    std::atomic<bool> sharded{false}; ///< as the cluster has told
    bool names_second = true;         ///< in the address
    std::atomic<int> moves{0};        ///< so often it has told that slots have moved

    ~cluster_test() override {
        if (all) all->close();
        loop->stop();
    }
    void connect(sharded_messages messages = sharded_messages::off) {
        first.begin();
        if (second.view) second.begin();
        config settings;
        settings.address = "redis-cluster://" + place_of(first) + (names_second ? "," + place_of(second) : "");
        settings.topology.sharded = messages;
        settings.topology.scan_interval = 1h;
        settings.ping_interval = 0ms;
        auto const of_node = [] {
            return node::hooks{.reconnected = [](std::string const&, char const*, bool) {},
                               .disconnected = [](std::string const&) {},
                               .tell = [](event const&) {},
                               .tell_when_heard = [](event const&) {}};
        };
        cluster::hooks const of_all{.of_node = of_node,
                                    .moved = [this](auto const&) { ++moves; },
                                    .sharded = [this](bool now) { sharded = now; }};
        all = std::make_shared<cluster>(loop, settings, resolve_servers(settings), "test", of_all);
        errc reason{};
        std::string problem;
        ASSERT_TRUE(all->connect_now(lease_clock::now() + test::patience, reason, problem)) << problem;
        loop->start();
        all->watch();
    }
    static std::string place_of(cluster_node const& one) {
        return "127.0.0.1:" + std::to_string(one.server.where().port);
    }
    template <class Condition> bool refresh_until(Condition const& holds) {
        return wait_until([&] {
            all->refresh_soon();
            return holds();
        });
    }
    bool has_slot_of(std::string const& key, cluster_node const& one) {
        return all->of(key).address().find(place_of(one)) != std::string::npos;
    }
    bool has_all_slots(cluster_node const& one) { return has_slot_of("some lock", one); }
};

constexpr char const* every_slot = "0-16383";

TEST_F(cluster_test, does_not_believe_a_node_that_is_behind_the_others) {
    auto const now = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 1, "", false);
    first.view = [now](int nth) { return nth == 1 ? now : "-ERR not now\r\n"; };
    second.view = [&](int) { return second.line("bbbb", 1, every_slot, true); };
    connect();
    ASSERT_TRUE(has_all_slots(first));
    // What it said the first time is known when it is asked again.
    ASSERT_TRUE(refresh_until([&] { return second.asked >= 2; }));
    EXPECT_TRUE(has_all_slots(first));
}

TEST_F(cluster_test, follows_a_node_that_knows_more) {
    auto const before = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 1, "", false);
    first.view = [before](int nth) { return nth == 1 ? before : "-ERR not now\r\n"; };
    second.view = [&](int) { return second.line("bbbb", 6, every_slot, true); };
    connect();
    EXPECT_TRUE(refresh_until([&] { return has_all_slots(second); }));
}

TEST_F(cluster_test, tells_that_a_node_was_not_the_master_for_a_time) {
    std::atomic<int> epoch{5};
    first.view = [&](int) { return first.line("aaaa", epoch, every_slot, true); };
    connect();
    ASSERT_TRUE(refresh_until([&] { return first.asked >= 3; }));
    EXPECT_EQ(moves, 0) << "nothing has changed";
    epoch = 7; // another one had the slots, with 6
    EXPECT_TRUE(refresh_until([&] { return moves > 0; }));
    auto const asked = first.asked.load();
    ASSERT_TRUE(refresh_until([&] { return first.asked >= asked + 3; }));
    EXPECT_EQ(moves, 1) << "told once";
    EXPECT_TRUE(has_all_slots(first));
}

TEST_F(cluster_test, asks_once_more_when_something_changes_while_it_asks) {
    std::promise<void> changed;
    auto view = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 1, "", false);
    std::atomic<bool> asking{false};
    first.view = [&, view](int nth) {
        if (nth == 2) {
            asking = true;
            changed.get_future().wait();
        }
        return view;
    };
    connect();
    all->refresh_soon();
    ASSERT_TRUE(wait_until([&] { return asking.load(); }));
    all->refresh_soon();
    changed.set_value();
    EXPECT_TRUE(wait_until([&] { return first.asked == 3; })) << "the next look is due in an hour";
}

TEST_F(cluster_test, asks_whether_there_are_messages_of_shards_until_it_knows) {
    auto const view = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 1, "", false);
    first.view = [view](int nth) { return nth == 2 ? "-ERR not now\r\n" : view; };
    connect(sharded_messages::automatic);
    ASSERT_EQ(first.asked_about_shards, 1);
    ASSERT_TRUE(refresh_until([&] { return first.asked >= 4; }));
    EXPECT_EQ(first.asked_about_shards, 1);
}

/// A client that took it for "no" would never hear the others again.
TEST_F(cluster_test, takes_no_answer_about_messages_of_shards_for_none) {
    first.view = [view = first.line("aaaa", 5, every_slot, true)](int) { return view; };
    first.about_shards = [](int nth) { return nth == 1 ? "-LOADING not now\r\n" : "*0\r\n"; };
    connect(sharded_messages::automatic);
    EXPECT_TRUE(sharded) << "as most servers have them";
    EXPECT_TRUE(wait_until([&] { return first.asked_about_shards == 2; })) << "the next look is due in an hour";
    EXPECT_TRUE(test::stays([&] { return sharded && first.asked_about_shards == 2; }, 300ms));
}

TEST_F(cluster_test, hears_late_that_there_are_no_messages_of_shards) {
    first.view = [view = first.line("aaaa", 5, every_slot, true)](int) { return view; };
    first.about_shards = [](int nth) {
        return nth < 4 ? "-LOADING not now\r\n" : "-ERR Unknown subcommand or wrong number of arguments\r\n";
    };
    connect(sharded_messages::automatic);
    EXPECT_TRUE(wait_until([&] { return first.asked_about_shards == 4 && !sharded; }));
}

TEST_F(cluster_test, leaves_it_to_the_map_where_a_redirect_does_not_say_the_port) {
    auto const view = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 1, "", false);
    first.view = [view](int) { return view; };
    connect();
    EXPECT_EQ(&all->named({.slot = 7, .where = {.host = "127.0.0.2"}}), &all->of("some lock"));
    EXPECT_EQ(all->all().size(), 2U);
}

TEST_F(cluster_test, does_not_always_ask_the_same_node) {
    auto const halves = [&](bool of_first) {
        return first.line("aaaa", 5, "0-8191", of_first) + second.line("bbbb", 4, "8192-16383", !of_first);
    };
    first.view = [half = halves(true)](int nth) { return nth == 2 ? "-ERR not now\r\n" : half; };
    second.view = [half = halves(false)](int) { return half; };
    connect();
    ASSERT_TRUE(refresh_until([&] { return second.asked >= 1; })) << "the first one had no answer";
    int const before = first.asked;
    EXPECT_TRUE(refresh_until([&] { return first.asked >= before + 2 && second.asked >= 3; }));
}

TEST_F(cluster_test, asks_others_too_where_the_only_connected_node_may_be_cut_off) {
    first.view = [view = first.line("aaaa", 5, every_slot, true)](int) { return view; };
    second.view = [&](int) { return second.line("bbbb", 6, every_slot, true); };
    connect();
    ASSERT_TRUE(has_all_slots(first));
    EXPECT_TRUE(refresh_until([&] { return has_all_slots(second); })) << "it was named, and nobody has used it yet";
}

TEST_F(cluster_test, believes_a_node_that_is_behind_where_nobody_is_left_who_knows_more) {
    first.view = [this, view = first.line("aaaa", 5, every_slot, true)](int nth) {
        if (nth > 1) {
            first.server.stop_listening();
            first.server.break_off();
        }
        return view;
    };
    second.view = [&](int) { return second.line("bbbb", 1, every_slot, true); }; // the cluster was made anew
    connect();
    ASSERT_TRUE(has_all_slots(first));
    EXPECT_TRUE(refresh_until([&] { return has_all_slots(second); }));
}

TEST_F(cluster_test, believes_a_node_that_says_less_of_itself_than_it_did) {
    auto const before = first.line("aaaa", 5, every_slot, true);
    auto const anew = first.line("cccc", 1, "", true) + second.line("dddd", 2, every_slot, false);
    first.view = [=](int nth) { return nth == 1 ? before : anew; };
    connect();
    ASSERT_TRUE(has_all_slots(first));
    EXPECT_TRUE(refresh_until([&] { return has_all_slots(second); }));
}

TEST_F(cluster_test, does_not_believe_a_node_that_is_behind_while_the_one_that_knows_more_is_there) {
    first.view = [view = first.line("aaaa", 5, every_slot, true)](int nth) {
        return nth == 1 ? view : "-LOADING not now\r\n";
    };
    second.view = [&](int) { return second.line("bbbb", 1, every_slot, true); };
    connect();
    EXPECT_TRUE(test::stays(
        [&] {
            all->refresh_soon();
            return has_all_slots(first);
        },
        4s));
    EXPECT_GT(second.asked, 20);
}

TEST_F(cluster_test, remembers_a_replica_when_the_master_names_hosts_that_lead_nowhere_and_is_lost) {
    auto const itself = first.line("aaaa", 5, every_slot, true);
    auto const replica = [](std::string const& place) { return "bbbb " + place + "@1 slave aaaa 0 0 5 connected\n"; };
    auto const right = itself + replica(place_of(second));
    auto const wrong = itself + replica("127.0.0.1:1");
    std::atomic<bool> lost{false};
    first.view = [&, right, wrong](int nth) {
        if (lost) {
            first.server.stop_listening();
            first.server.break_off();
        }
        return nth == 1 ? right : wrong;
    };
    second.view = [&](int) { return second.line("bbbb", 6, every_slot, true); };
    names_second = false;
    connect();
    ASSERT_TRUE(refresh_until([&] { return first.asked >= 3; }));
    ASSERT_TRUE(has_all_slots(first));
    lost = true;
    EXPECT_TRUE(refresh_until([&] { return has_all_slots(second); }));
}

TEST_F(cluster_test, passes_over_nodes_that_do_not_answer_soon) {
    std::vector<std::unique_ptr<scripted_server>> silent; // they take connections, and say nothing
    auto view = first.line("aaaa", 5, "0-99", true) + second.line("bbbb", 5, "100-199", false);
    for (int i = 2; i <= 7; ++i) {
        auto const host =
            "127.0.0." + std::to_string(i); // behind the other two in the order of addresses: asked before them
        silent.push_back(std::make_unique<scripted_server>(host));
        view += "000" + std::to_string(i) + " " + host + ":" + std::to_string(silent.back()->where().port)
                + "@1 master - 0 0 5 connected " + std::to_string(100 * i) + "-" + std::to_string(100 * i + 99) + "\n";
    }
    first.view = [this, view](int nth) {
        if (nth > 1) {
            first.server.stop_listening();
            first.server.break_off();
        }
        return view;
    };
    second.view = [view](int) { return view; };
    connect();
    auto const began = lease_clock::now();
    all->refresh_soon();
    EXPECT_TRUE(wait_until([&] { return second.asked >= 1; }));
    EXPECT_LT(lease_clock::now() - began, 4s) << "a second for each would be six";
}

TEST_F(cluster_test, does_not_send_a_call_to_and_fro_while_the_node_of_a_moving_slot_loads_its_data) {
    auto const key = std::string("some lock");
    auto const where = " " + std::to_string(base::hash_slot(key)) + " ";
    std::atomic<int> calls{0};
    first.view = [view = first.line("aaaa", 5, every_slot, true)](int) { return view; };
    first.answer = [&](std::string const& command) {
        if (!command.starts_with("PTTL")) return std::string("+OK\r\n");
        ++calls;
        return "-ASK" + where + place_of(second) + "\r\n";
    };
    second.view = first.view;
    second.answer = [&](std::string const& command) { // as a server does: where a slot is comes before LOADING
        if (command.starts_with("PTTL")) return "-MOVED" + where + place_of(first) + "\r\n";
        return std::string(command == "ASKING" ? "-LOADING Redis is loading the dataset in memory\r\n" : "+OK\r\n");
    };
    connect();
    std::promise<std::string> answer;
    unattended::send(loop, all->of(key).data(), locking::command_call("PTTL", key, {}),
                     [&](connection::call const& answered) { answer.set_value(answered.reply.text); }, {});
    EXPECT_EQ(answer.get_future().get(), "LOADING Redis is loading the dataset in memory");
    EXPECT_EQ(calls, 1);
}

struct with_a_node_that_comes_later : cluster_test {
    with_a_node_that_comes_later() : cluster_test(scripted_server::begins::with_listen) {}
};

TEST_F(with_a_node_that_comes_later, connects_to_it_again_when_a_slot_has_moved_there) {
    std::string const key = "some lock";
    auto const slot = base::hash_slot(key);
    auto const moved = std::make_shared<std::atomic<bool>>(false);
    auto const rest = "0-" + std::to_string(slot - 1) + " " + std::to_string(slot + 1) + "-16383";
    auto const before = first.line("aaaa", 5, every_slot, true) + second.line("bbbb", 6, "", false);
    auto const after = first.line("aaaa", 5, rest, true) + second.line("bbbb", 6, std::to_string(slot), false);
    first.view = [=](int nth) { return nth == 2 ? "-ERR not now\r\n" : *moved ? after : before; };
    connect();
    // The fourth of these questions is meant for the one that rests: from the next one on it rests again.
    ASSERT_TRUE(refresh_until([&] { return first.asked >= 6; })) << "whoever could not be reached rests";
    *moved = true;
    second.view = [](int) { return "-ERR not now\r\n"; };
    second.server.listen();
    second.begin();
    connection::redirect const there{
        .what = connection::redirect::kind::moved, .slot = slot, .where = {"127.0.0.1", second.server.where().port}};
    auto const connects = [&] {
        auto& owner = all->named(there);
        std::promise<std::string> answer; // a node that rests would send the call away
        unattended::send(loop, owner.data(), locking::command_call("PTTL", key, {}),
                         [&](connection::call const& answered) { answer.set_value(answered.reply.text); }, {});
        EXPECT_EQ(answer.get_future().get(), "OK");
        return owner.is_connected();
    };
    // An attempt from before it listened may end only now, and send the first call away: then it is named once more.
    EXPECT_TRUE(wait_until(connects));
}

TEST_F(with_a_node_that_comes_later, is_asked_about_again_and_again_however_few_slots_it_has) {
    auto const slot = base::hash_slot("some lock");
    auto const rest = "0-" + std::to_string(slot - 1) + " " + std::to_string(slot + 1) + "-16383";
    auto const view = first.line("aaaa", 5, rest, true) + second.line("bbbb", 6, std::to_string(slot), false);
    first.view = [view](int) { return view; };
    connect();
    auto& away = all->of("some lock");
    unattended::send(loop, away.data(), locking::command_call("PTTL", "some lock", {}), [](connection::call const&) {},
                     {});
    ASSERT_TRUE(wait_until([&] { return away.is_in_trouble(); }));
    second.server.listen(); // the next attempt to connect waits for answers: none fails meanwhile
    int const before = first.asked;
    EXPECT_TRUE(wait_until([&] { return first.asked >= before + 10; })) << "the next look is due in an hour";
}

TEST_F(with_a_node_that_comes_later, sends_away_what_waits_for_it_when_the_slot_has_moved) {
    std::string const key = "some lock";
    auto const slot = base::hash_slot(key);
    auto const moved = std::make_shared<std::atomic<bool>>(false);
    auto const others = "0-" + std::to_string(slot - 1) + " " + std::to_string(slot + 1) + "-16382";
    auto const before =
        first.line("aaaa", 5, others, true) + second.line("bbbb", 6, std::to_string(slot) + " 16383", false);
    auto const after =
        first.line("aaaa", 7, others + " " + std::to_string(slot), true) + second.line("bbbb", 6, "16383", false);
    first.view = [=](int) { return *moved ? after : before; };
    connect();
    auto& former = all->of(key);
    ASSERT_TRUE(has_slot_of(key, second));
    auto const answer = std::make_shared<std::promise<std::string>>();
    unattended::send(loop, former.data(), locking::command_call("PTTL", key, {}),
                     [answer](connection::call const& answered) { answer->set_value(answered.reply.text); }, {});
    *moved = true;
    ASSERT_TRUE(refresh_until([&] { return has_slot_of(key, first); }));
    auto got = answer->get_future();
    ASSERT_EQ(got.wait_for(test::patience), std::future_status::ready) << "it has a slot yet, and cannot be reached";
    EXPECT_EQ(got.get(), "OK");
}

} // namespace
} // namespace redlatch::io
