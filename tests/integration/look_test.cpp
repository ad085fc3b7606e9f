// Looking at locks: what is read of each, with which rights, in how many round trips, and what a server may do meanwhile.
#include "integration/endless_server.hpp"
#include "integration/user_with_rights.hpp"
#include "support/both_faces.hpp"

#include <set>
#include <unistd.h>

namespace redlatch::test {
namespace {

std::string const java = "0e1f2a3b-0000-4000-8000-0123456789ab";

class look_test : public with_server {
protected:
    config as(words const& rights) const { return settings_with_rights(server, rights); }
    static lock_info const* find(std::vector<lock_info> const& all, std::string const& wanted) {
        auto const found = std::find_if(all.begin(), all.end(), [&](auto const& one) { return one.name == wanted; });
        return found == all.end() ? nullptr : &*found;
    }
};

TEST_F(look_test, tells_each_kind_of_lock_from_the_others) {
    struct kind {
        words before;
        std::string type;
        std::size_t owners;
    };
    client user(quick(server.uri()));
    auto const queue = "redisson_lock_queue:{" + name + "}";
    auto const token = "redisson_lock_token:{" + name + "}";
    for (auto const& [before, type, owners] :
         {kind{{}, "reentrant", 1}, kind{{"RPUSH", queue, "x"}, "fair", 1}, kind{{"SET", token, "5"}, "fenced", 1},
          kind{{"HSET", name, "mode", "write", java + ":7:write", "1"}, "write", 2},
          kind{{"HSET", name, "mode", "read", java + ":7", "1"}, "read", 2}}) {
        server.run("FLUSHALL");
        server.run("HSET", name, java + ":71", "2");
        server.run("PEXPIRE", name, "100000");
        if (!before.empty()) server.admin().command(before);
        auto const seen = user.get_lock(name).inspect();
        EXPECT_TRUE(seen.held);
        EXPECT_EQ(seen.type, type);
        EXPECT_EQ(seen.token, type == std::string("fenced") ? std::optional(5U) : std::nullopt);
        ASSERT_EQ(seen.owners.size(), owners) << type;
        EXPECT_TRUE(std::any_of(seen.owners.begin(), seen.owners.end(), [](lock_owner const& who) {
            return who.owner == java + ":71" && who.client == java && who.holder == "71" && who.count == 2
                   && !who.label;
        })) << type;
        ASSERT_TRUE(seen.remaining_lease);
        EXPECT_GT(*seen.remaining_lease, 50s);
        EXPECT_LE(*seen.remaining_lease, 100s);
    }
    server.run("PERSIST", name);
    EXPECT_FALSE(user.get_lock(name).inspect().remaining_lease);
    server.run("DEL", name);
    EXPECT_FALSE(user.get_lock(name).inspect().held) << "only what belongs to it is left";
}

TEST_F(look_test, shows_the_queue_of_a_fair_lock_and_when_who_does_not_ask_is_passed_over) {
    client user(quick(server.uri()));
    auto const queue = "redisson_lock_queue:{" + name + "}";
    auto const timeouts = "redisson_lock_timeout:{" + name + "}";
    auto const now = std::stoll(server.run("TIME").items.at(0).text) * 1'000;
    auto const in_100_s = std::to_string(now + 100'000);
    server.run("RPUSH", queue, java + ":7", java + ":8", java + ":9");
    server.run("ZADD", timeouts, in_100_s, java + ":7", "1", java + ":8");
    hold_as_stranger(server, name, 60s);
    for (bool const held : {true, false}) {
        SCOPED_TRACE(held);
        auto const seen = user.get_lock(name).inspect();
        EXPECT_EQ(seen.held, held);
        EXPECT_EQ(seen.type, "fair");
        ASSERT_EQ(seen.waiters.size(), 3U);
        EXPECT_EQ(seen.waiters[0].owner, java + ":7");
        EXPECT_EQ(seen.waiters[0].client, java);
        EXPECT_EQ(seen.waiters[0].holder, "7");
        EXPECT_EQ(seen.waiters[2].holder, "9");
        ASSERT_TRUE(seen.waiters[0].passed_over_in);
        EXPECT_GT(*seen.waiters[0].passed_over_in, 50s);
        EXPECT_LE(*seen.waiters[0].passed_over_in, 100s);
        EXPECT_EQ(seen.waiters[1].passed_over_in, 0s) << "its time is over";
        EXPECT_EQ(seen.waiters[2].passed_over_in, 0s) << "it has none";
        auto const listed = user.list_locks();
        ASSERT_EQ(listed.size(), 1U) << "its queue is enough";
        EXPECT_EQ(listed[0].name, name);
        EXPECT_EQ(listed[0].held, held);
        EXPECT_EQ(listed[0].type, "fair");
        EXPECT_EQ(listed[0].waiters.size(), 3U);
        server.run("DEL", name);
    }
    client unknowing(as({"~*", "+hscan", "+pttl", "+exists", "+lrange"}));
    auto const seen = unknowing.get_lock(name).inspect();
    ASSERT_EQ(seen.waiters.size(), 3U) << "without the right to TIME and ZRANGE";
    EXPECT_FALSE(seen.waiters[0].passed_over_in);
    EXPECT_FALSE(seen.waiters[2].passed_over_in);
    server.run("SET", "redisson_lock_token:{" + name + "}", "7");
    EXPECT_FALSE(unknowing.get_lock(name).inspect().token) << "and to GET";
    EXPECT_EQ(user.get_lock(name).inspect().token, 7U) << "also of a free lock";
    client ignorant(as({"~*", "+hscan", "+pttl", "+exists"}));
    EXPECT_TRUE(ignorant.get_lock(name).inspect().waiters.empty());
    server.run("DEL", queue);
    server.run("SET", queue, "no list");
    EXPECT_TRUE(user.get_lock(name).inspect().waiters.empty());
}

TEST_F(look_test, names_the_process_that_waits_for_a_fair_lock) {
    config labelled = quick(server.uri());
    labelled.holder_label = "billing@host7";
    client first(quick(server.uri()));
    client second(labelled);
    hold mine = first.get_fair_lock(name).acquire();
    auto waits = in_thread([&] { second.get_fair_lock(name).acquire({.wait = 20s}).release(); });
    EXPECT_TRUE(wait_until([&] { return first.get_lock(name).inspect().waiters.size() == 1; }));
    auto const seen = first.get_lock(name).inspect({.labels = true});
    EXPECT_EQ(seen.waiters.at(0).label, "billing@host7");
    ASSERT_TRUE(seen.waiters.at(0).passed_over_in);
    EXPECT_GT(*seen.waiters.at(0).passed_over_in, 200s);
    mine.release();
    waits.get();
    EXPECT_TRUE(first.get_lock(name).inspect().waiters.empty());
}

TEST_F(look_test, is_not_deceived_by_a_mode_that_no_lock_has) {
    server.run("HSET", name, java + ":71", "1", "mode", "\x1b]0;owned\x07");
    client user(quick(server.uri()));
    auto const seen = user.get_lock(name).inspect();
    EXPECT_EQ(seen.type, "reentrant");
    EXPECT_EQ(seen.owners.size(), 2U) << "the field is shown as what it is: no holder";
    EXPECT_TRUE(user.list_locks().empty()) << "it does not look like a lock";
}

TEST_F(look_test, tells_locks_from_other_hashes_by_one_rule) {
    client user(quick(server.uri()));
    auto const foreign = [&](words const& fields) {
        server.run("DEL", name);
        words command{"HSET", name};
        command.insert(command.end(), fields.begin(), fields.end());
        server.admin().command(command);
        auto const seen = user.get_lock(name).inspect();
        EXPECT_TRUE(seen.held);
        EXPECT_EQ(user.list_locks().empty(), !seen.foreign_field.empty()) << "a list is of the same mind";
        return seen.foreign_field;
    };
    EXPECT_EQ(foreign({java + ":71", "1"}), "");
    EXPECT_EQ(foreign({java + ":-71", "1"}), "") << "a thread id of Java's may be any number";
    EXPECT_EQ(foreign({java + ":71:write", "3", "mode", "write"}), "");
    EXPECT_EQ(foreign({java + ":71:a candidate", "1"}), "");
    EXPECT_EQ(foreign({"foo", "bar"}), "foo");
    EXPECT_EQ(foreign({"mode", "read"}), "mode");
    EXPECT_EQ(foreign({"mode", ""}), "mode");
    EXPECT_EQ(foreign({"session:7", "1"}), "session:7");
    EXPECT_EQ(foreign({java + ":71", "1", "name", "Bob"}), "name");
    for (std::string const count : {"0", "-5", "99999999999999999999", "1.5", "", "1 "})
        EXPECT_EQ(foreign({java + ":71", count}), java + ":71") << count;
    for (std::string const id : {":-", ":x", ":", ":7more", ":7-1", ""})
        EXPECT_EQ(foreign({java + id, "1"}), java + id) << id;
    server.run("DEL", name);
}

TEST_F(look_test, says_when_more_hold_a_lock_than_are_read) {
    client user(quick(server.uri()));
    words command{"HSET", name, "mode", "read"};
    for (int reader = 1; reader <= 3000; ++reader)
        command.insert(command.end(), {java + ":" + std::to_string(reader), "1"});
    server.admin().command(command);
    auto const seen = user.get_lock(name).inspect();
    EXPECT_TRUE(seen.truncated);
    EXPECT_LT(seen.owners.size(), 3000U);
    server.run("DEL", name);
    server.run("HSET", name, java + ":1", "1");
    EXPECT_FALSE(user.get_lock(name).inspect().truncated);
    server.run("DEL", name);
    EXPECT_FALSE(user.get_lock(name).inspect().truncated);
}

TEST_F(look_test, visits_nothing_without_a_visitor) {
    client user(quick(server.uri()));
    auto const refusal = [](auto const& visit) {
        try {
            visit();
        } catch (error const& problem) {
            EXPECT_EQ(problem.reason(), errc::invalid_argument);
            return std::string(problem.what());
        }
        return std::string("not refused");
    };
    EXPECT_NE(refusal([&] { user.visit_locks("*", {}); }).find("a visit needs a function"), std::string::npos);
    EXPECT_NE(refusal([&] { user.visit_permit_semaphores("*", {}); }).find("a visit needs a function"),
              std::string::npos);
}

TEST_F(look_test, needs_no_right_but_to_read_the_locks) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    hold_as_stranger(server, "L1", 60s);
    hold_as_stranger(server, "L2", 60s);
    client user(as({"%R~L*", "+scan", "+hscan", "+pttl", "+exists"}));
    EXPECT_EQ(user.get_lock("L1").inspect({.labels = true}).owners.size(), 1U);
    auto const found = user.list_locks("*", {.labels = true});
    ASSERT_EQ(found.size(), 2U);
    for (auto const& one : found) EXPECT_EQ(one.problem, "") << one.name;
}

TEST_F(look_test, shows_the_others_beside_a_key_that_may_not_be_read) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    hold_as_stranger(server, "L1", 60s);
    hold_as_stranger(server, "secret", 60s);
    client user(as({"%R~L*", "+scan", "+hscan", "+pttl", "+exists"}));
    auto const found = user.list_locks();
    ASSERT_EQ(found.size(), 2U);
    ASSERT_NE(find(found, "L1"), nullptr);
    EXPECT_EQ(find(found, "L1")->problem, "");
    EXPECT_EQ(find(found, "L1")->owners.size(), 1U);
    ASSERT_NE(find(found, "secret"), nullptr);
    EXPECT_NE(find(found, "secret")->problem.find("secret"), std::string::npos) << find(found, "secret")->problem;
    EXPECT_NE(find(found, "secret")->problem.find("NOPERM"), std::string::npos) << find(found, "secret")->problem;
    EXPECT_FALSE(find(found, "secret")->held);
    EXPECT_EQ(outcome_of([&] { (void)user.get_lock("secret").inspect(); }).reason, errc::server_refused);
}

TEST_F(look_test, asks_again_what_the_server_did_not_execute) {
    byte_proxy proxy{server.address()};
    client user(quick(proxy.uri()));
    hold_as_stranger(server, name, 60s);
    proxy.replace_reply(a_command("PTTL"), "-LOADING Redis is loading the dataset in memory\r\n");
    auto const seen = user.get_lock(name).inspect();
    EXPECT_EQ(seen.owners.size(), 1U);
    EXPECT_TRUE(seen.remaining_lease);
    EXPECT_EQ(proxy.count(a_command("PTTL")), 2U);
    EXPECT_EQ(proxy.count(a_command("HSCAN")), 1U) << "that was answered";
}

TEST_F(look_test, of_a_huge_hash_does_not_break_the_connection) {
    // More than a million elements, which no reply may have.
    for (int part = 0; part < 10; ++part)
        server.run("EVAL",
                   "for i = 1, 53 do local all = {} for j = 1, 1000 do all[2 * j - 1] = (ARGV[1] * 53 + i) * 1000 + j "
                   "all[2 * j] = 1 end redis.call('hset', KEYS[1], unpack(all)) end",
                   "1", "huge", std::to_string(part));
    EXPECT_EQ(server.run("HLEN", "huge").integer, 530'000);
    hold_as_stranger(server, name, 60s);
    config settings = quick(server.uri());
    settings.timeout = 20s;
    client user(settings);
    EXPECT_FALSE(user.get_lock("huge").inspect().owners.empty());
    auto const found = user.list_locks();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].name, name);
    EXPECT_EQ(user.stats().reconnects, 0U);
}

// --- many

class many_locks_test : public look_test {
protected:
    many_locks_test() {
        server.run("EVAL", "for i = 1, 1200 do redis.call('hset', 'lock:' .. i, '" + java + ":' .. i, 1) end", "0");
    }
};

TEST_F(many_locks_test, take_few_round_trips) {
    byte_proxy proxy{server.address()};
    config settings = quick(proxy.uri());
    settings.timeout = 20s;
    client user(settings);
    proxy.delay(direction::to_client, 20ms);
    auto const start = test_clock::now();
    auto const found = user.list_locks();
    EXPECT_EQ(found.size(), 1200U);
    EXPECT_LT(since(start), 8s) << "one at a time they take 24 s";
}

TEST_F(many_locks_test, come_as_they_are_found) {
    client user(quick(server.uri()));
    std::set<std::string> names;
    std::size_t visits = 0;
    user.visit_locks("lock:*", [&](std::vector<lock_info> some) {
        ++visits;
        EXPECT_LE(some.size(), 500U);
        for (auto const& one : some) EXPECT_TRUE(names.insert(one.name).second) << one.name << " comes twice";
    });
    EXPECT_EQ(names.size(), 1200U);
    EXPECT_GE(visits, 3U);
}

TEST_F(many_locks_test, can_be_left_in_the_middle) {
    client user(quick(server.uri()));
    auto const leave = [](std::vector<lock_info> const&) { throw std::runtime_error("enough"); };
    EXPECT_THROW(user.visit_locks("*", leave), std::runtime_error);
    EXPECT_EQ(user.list_locks().size(), 1200U) << "the client is as before";
    EXPECT_EQ(outcome_of([&] { user.visit_locks("*", {}); }).reason, errc::invalid_argument);
}

TEST_F(look_test, lists_a_key_that_scan_names_twice_once) {
    byte_proxy proxy{server.address()};
    client user(quick(proxy.uri()));
    hold_as_stranger(server, "twice", 60s);
    proxy.replace_reply(a_command("SCAN"), "*2\r\n$1\r\n9\r\n*3\r\n$5\r\ntwice\r\n$5\r\ntwice\r\n$5\r\ntwice\r\n");
    proxy.replace_reply([](words const& command) { return command.at(0) == "SCAN" && command.at(1) == "9"; },
                        "*2\r\n$1\r\n0\r\n*1\r\n$5\r\ntwice\r\n");
    EXPECT_EQ(user.list_locks().size(), 1U);
}

// --- servers whose SCAN does not end

auto* const page = &endless_server::page;

class endless_scan_test
    : public ::testing::TestWithParam<std::pair<char const*, std::function<std::string(std::size_t)>>> {};

TEST_P(endless_scan_test, is_given_up_with_a_clear_error) {
    endless_server endless(GetParam().second);
    config settings = quick(endless.server.uri());
    settings.timeout = 20s;
    client user(settings);
    auto const refused = outcome_of([&] { (void)user.list_locks(); });
    EXPECT_EQ(refused.reason, errc::bad_reply) << refused;
    EXPECT_NE(refused.message.find("does not come to an end"), std::string::npos) << refused;
    EXPECT_NE(refused.message.find("fake.sock"), std::string::npos) << refused;
}

INSTANTIATE_TEST_SUITE_P(
    that, endless_scan_test,
    ::testing::Values(std::pair{"names_nothing", [](std::size_t i) { return page(std::to_string(i), {}); }},
                      std::pair{"repeats_its_pages",
                                [](std::size_t i) {
                                    return page(std::to_string(i), {"a", "b"});
                                }},
                      std::pair{"goes_in_a_circle", [](std::size_t i) { return page(std::to_string(1 + i % 3), {}); }},
                      std::pair{"goes_on_naming_keys",
                                [](std::size_t i) {
                                    std::vector<std::string> names;
                                    for (std::size_t one = 0; one < 2000; ++one)
                                        names.push_back(std::to_string(i * 10'000 + one));
                                    return page(std::to_string(i), names);
                                }},
                      std::pair{"names_no_queues",
                                [](std::size_t i) { // the first one is about the locks themselves
                                    return page(i == 1 ? "0" : std::to_string(i), {});
                                }}),
    [](auto const& which) { return std::string(which.param.first); });

// --- labels

class label_test : public look_test {
protected:
    config labelled(std::optional<std::string> label, std::string client_name = {}) const {
        config made = quick(server.uri());
        made.holder_label = std::move(label);
        made.client_name = std::move(client_name);
        return made;
    }
    std::optional<std::string> label_seen_by(client& who) const {
        return who.get_lock(name).inspect({.labels = true}).owners.at(0).label;
    }
    client onlooker{quick(server.uri())};
};

TEST_F(label_test, says_who_holds_the_lock_where_it_is_asked_for) {
    client user(labelled("web-1:4711:importer"));
    hold const mine = user.get_lock(name).acquire();
    EXPECT_EQ(label_seen_by(onlooker), "web-1:4711:importer");
    EXPECT_EQ(onlooker.list_locks("*", {.labels = true}).at(0).owners.at(0).label, "web-1:4711:importer");
    server.run("CONFIG", "RESETSTAT");
    EXPECT_EQ(onlooker.get_lock(name).inspect().owners.at(0).label, std::nullopt);
    EXPECT_EQ(onlooker.list_locks().at(0).owners.at(0).label, std::nullopt);
    EXPECT_FALSE(command_counts(server).contains("client|list")) << "it costs the server time for each client";
}

TEST_F(label_test, is_host_process_and_program_by_default) {
    client user(labelled(std::nullopt));
    hold const mine = user.get_lock(name).acquire();
    auto const seen = label_seen_by(onlooker);
    ASSERT_TRUE(seen);
    EXPECT_NE(seen->find(":" + std::to_string(::getpid()) + ":integration_"), std::string::npos) << *seen;
}

TEST_F(label_test, leaves_a_name_that_the_user_gives_as_it_is) {
    client user(labelled(std::nullopt, "till-3"));
    hold const mine = user.get_lock(name).acquire();
    EXPECT_NE(server.run("CLIENT", "LIST").text.find(" name=till-3 "), std::string::npos);
    EXPECT_EQ(label_seen_by(onlooker), std::nullopt);
}

TEST_F(label_test, stands_behind_the_users_name_where_both_are_wanted) {
    client user(labelled("importer", "till-3"));
    hold const mine = user.get_lock(name).acquire();
    EXPECT_NE(server.run("CLIENT", "LIST").text.find(" name=till-3|redlatch:" + user.id() + ":importer "),
              std::string::npos);
    EXPECT_EQ(label_seen_by(onlooker), "importer");
}

TEST_F(label_test, can_be_left_out) {
    client user(labelled(""));
    hold const mine = user.get_lock(name).acquire();
    EXPECT_EQ(server.run("CLIENT", "LIST").text.find("redlatch:" + user.id()), std::string::npos);
    EXPECT_EQ(label_seen_by(onlooker), std::nullopt);
}

TEST_F(label_test, is_left_out_silently_where_the_server_does_not_permit_it) {
    if (test_server_is_before_7()) GTEST_SKIP() << needs_rules_of_7;
    auto settings = as({"~*", "&*", "+@all", "-client|setname"});
    client unnamed(settings);
    hold const mine = unnamed.get_lock(name).acquire();
    EXPECT_EQ(label_seen_by(onlooker), std::nullopt);
    mine.owner_id();
    auto blind = as({"~*", "&*", "+@all", "-client|list"});
    client user(labelled("importer"));
    client without(blind);
    auto const lock = unique_name();
    hold const theirs = user.get_lock(lock).acquire();
    auto const seen = without.get_lock(lock).inspect({.labels = true});
    ASSERT_EQ(seen.owners.size(), 1U);
    EXPECT_EQ(seen.owners[0].label, std::nullopt);
    EXPECT_EQ(without.list_locks("*", {.labels = true}).size(), 2U);
}

TEST_F(label_test, of_java_is_none) {
    server.run("HSET", name, java + ":71", "1");
    raw_client other(server.address());
    other.command("CLIENT", "SETNAME", "some-java");
    EXPECT_EQ(label_seen_by(onlooker), std::nullopt);
}

TEST_F(label_test, costs_no_round_trip_when_a_connection_is_made) {
    byte_proxy proxy{server.address()};
    config settings = labelled("importer");
    settings.address = proxy.uri();
    proxy.hold(direction::to_client);
    auto made = in_thread([&] { client const user(settings); });
    EXPECT_TRUE(wait_until([&] { return proxy.count(a_command("INFO")) == 1; })) << "the last word of the greeting";
    EXPECT_EQ(proxy.count(a_command("CLIENT SETNAME")), 1U) << "sent with it";
    proxy.pass(direction::to_client);
    made.get();
}

// --- ping

TEST_F(look_test, ping_knows_the_server_without_the_right_to_info) {
    client full(quick(server.uri()));
    client less(as({"~*", "&*", "+@all", "-info"}));
    client nothing(as({"-@all"}));
    auto const whole = full.ping();
    auto const seen = less.ping();
    EXPECT_EQ(seen.version, whole.version);
    EXPECT_EQ(seen.software, whole.software);
    EXPECT_GT(seen.round_trip.count(), 0);
    EXPECT_EQ(nothing.ping().version, whole.version);
}

} // namespace
} // namespace redlatch::test
