// The rules that redlatch acl prints for clusters, for masters that are found by Sentinels or among several servers, and for
// the Sentinels: enough for everything, and who lacks a right that is needed is told which.
#include "acl_rule.hpp"
#include "support/every_use.hpp"
#include "support/lock_helpers.hpp"
#include "support/redis_cluster.hpp"
#include "support/sentinel_set.hpp"
#include "support/wait_until.hpp"

#include <redlatch/log.hpp>

#include <algorithm>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mutex>

namespace redlatch::cli {
namespace {

using namespace std::chrono_literals;
using test::wait_until;
using testing::HasSubstr;
using words = std::vector<std::string>;

words new_user(words const& rule) {
    words command{"ACL", "SETUSER", "locks", "reset", "on", ">secret"};
    command.insert(command.end(), rule.begin(), rule.end());
    return command;
}

words without(words rule, std::string const& right) {
    auto const at = std::find(rule.begin(), rule.end(), right);
    EXPECT_NE(at, rule.end()) << right;
    if (at != rule.end()) rule.erase(at);
    return rule;
}

words all_types() {
    auto const known = acl_types();
    return {known.begin(), known.end()};
}

config settings_for(std::string const& uri) {
    config settings;
    settings.address = uri;
    settings.username = "locks";
    settings.password = "secret";
    settings.lock_watchdog_timeout = 900ms;
    settings.retry_attempts = 0;
    settings.topology.scan_interval = 1000ms;
    settings.holder_label = "acl_arrangement_test";
    return settings;
}

/// What is logged while it is there.
class told {
public:
    told() {
        set_log_sink(
            [this](log_level, std::string_view line) {
                std::lock_guard const guard(mutex_);
                text_.append(line).append("\n");
            },
            log_level::warning);
    }
    told(told const&) = delete;
    told& operator=(told const&) = delete;
    ~told() { set_log_sink({}); }
    /// And what it throws.
    void run(std::function<void()> const& what) {
        try {
            what();
        } catch (error const& problem) {
            std::lock_guard const guard(mutex_);
            text_.append(problem.what()).append("\n");
        }
    }
    std::string text() {
        std::lock_guard const guard(mutex_);
        return text_;
    }
    bool is_of_rights() { return text().find("NOPERM") != std::string::npos; }

private:
    std::mutex mutex_;
    std::string text_;
};

// --- a cluster

class acl_of_cluster : public testing::Test {
protected:
    test::redis_cluster cluster;

    config with(words const& rule) {
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            EXPECT_EQ(cluster.node(i).admin().command(new_user(rule)).text, "OK");
            cluster.node(i).run("SCRIPT", "FLUSH");
        }
        return settings_for(cluster.uri());
    }

    bool somebody_listens() {
        for (std::size_t i = 0; i < cluster.size(); ++i)
            if (!cluster.node(i).run("PUBSUB", "SHARDCHANNELS").items.empty()) return true;
        return false;
    }

    /// A waiter that is woken, and a lock whose slot is on its way.
    void use(config const& settings, told& all) {
        client holder(settings);
        client other(settings);
        auto const name = "jobs:" + cluster.name_on(0);
        auto held = holder.get_lock(name).acquire({.wait = 5s, .owner = owner()});
        auto waiter = std::async(std::launch::async,
                                 [&] { return other.get_lock(name).acquire({.wait = 20s, .owner = owner()}); });
        EXPECT_TRUE(wait_until([&] { return somebody_listens() || all.text().find("messages") != std::string::npos; }));
        held.release();
        waiter.get().release();
        auto const slot = test::redis_cluster::slot_of(name);
        auto const from = cluster.owner_of(name);
        auto const to = (from + 1) % cluster.size();
        cluster.begin_move(slot, from, to);
        std::exception_ptr problem;
        try {
            auto const moving = holder.get_lock(name).acquire({.wait = 5s, .owner = owner()});
        } catch (error const&) {
            problem = std::current_exception();
        }
        for (auto const node : {from, to}) cluster.node(node).run("CLUSTER", "SETSLOT", std::to_string(slot), "STABLE");
        if (problem) std::rethrow_exception(problem);
    }

    std::string told_without(std::string const& right) {
        told all;
        all.run([&] { use(with(without(acl_rule({"reentrant"}, "jobs:", {server_mode::cluster}), right)), all); });
        return all.text();
    }
};

TEST_F(acl_of_cluster, is_enough_for_everything_of_each_type_and_for_no_other_name) {
    for (auto const& one : test::uses_of_all_types()) {
        SCOPED_TRACE(one.type);
        auto const settings = with(acl_rule({one.type}, "jobs:", {server_mode::cluster}));
        client user(settings);
        client other(settings);
        EXPECT_NO_THROW(one.use(user, other));
        EXPECT_THROW((void)user.get_lock("payments").acquire({.wait = 1s}), error);
    }
}

TEST_F(acl_of_cluster, is_enough_where_messages_go_to_all_nodes) {
    acl_servers const servers{.mode = server_mode::cluster, .sharded = false};
    for (auto const& one : test::uses_of_all_types()) {
        SCOPED_TRACE(one.type);
        auto settings = with(acl_rule({one.type}, "jobs:", servers));
        settings.topology.sharded = sharded_messages::off;
        client user(settings);
        client other(settings);
        EXPECT_NO_THROW(one.use(user, other));
    }
}

TEST_F(acl_of_cluster, is_enough_while_a_slot_moves) {
    told all;
    all.run([&] { use(with(acl_rule({"reentrant"}, "jobs:", {server_mode::cluster})), all); });
    EXPECT_FALSE(all.is_of_rights()) << all.text();
    for (auto const* command : {"asking", "cluster|nodes", "pubsub|shardnumsub", "ssubscribe"}) {
        std::uint64_t used = 0;
        for (std::size_t i = 0; i < cluster.size(); ++i) used += test::command_counts(cluster.node(i))[command];
        EXPECT_GT(used, 0U) << command << " is not used";
    }
}

TEST_F(acl_of_cluster, a_missing_right_is_named) {
    for (auto const* command : {"cluster|nodes", "asking", "ssubscribe", "spublish"})
        EXPECT_THAT(told_without(std::string("+") + command), HasSubstr("'" + std::string(command) + "'"));
}

TEST_F(acl_of_cluster, without_the_right_to_count_listeners_messages_still_go_to_shards) {
    EXPECT_EQ(told_without("+pubsub|shardnumsub").find("NOPERM"), std::string::npos);
    std::uint64_t used = 0;
    for (std::size_t i = 0; i < cluster.size(); ++i) used += test::command_counts(cluster.node(i))["ssubscribe"];
    EXPECT_GT(used, 0U);
}

// --- a master that Sentinels watch

class acl_of_sentinels : public testing::Test {
protected:
    test::sentinel_set all{{.sentinels = 3, .replicas = 1}};

    config with(words const& on_servers, words const& on_sentinels) {
        for (std::size_t i = 0; i < all.servers().size(); ++i)
            EXPECT_EQ(all.servers()[i].admin().command(new_user(on_servers)).text, "OK");
        for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(all.ask(i, new_user(on_sentinels)).text, "OK");
        auto settings = settings_for(all.uri());
        settings.topology.sentinel_username = "locks";
        settings.topology.sentinel_password = "secret";
        return settings;
    }
};

TEST_F(acl_of_sentinels, is_enough_for_everything_also_after_a_failover) {
    auto const rule = acl_rule(all_types(), "jobs:", {server_mode::sentinel});
    told log;
    {
        auto const settings = with(rule, acl_rule_of_sentinels());
        client user(settings);
        client other(settings);
        for (auto const& one : test::uses_of_all_types()) EXPECT_NO_THROW(one.use(user, other)) << one.type;
        EXPECT_FALSE(log.is_of_rights()) << log.text();
        auto const now = all.fail_over();
        EXPECT_TRUE(wait_until(
            [&] {
                auto const held = user.get_lock("jobs:after").try_acquire({.wait = 5s, .owner = owner()});
                return held && test::holders(all.servers()[now], "jobs:after").size() == 1;
            },
            test::sentinel_set::longest_failover));
        EXPECT_FALSE(log.is_of_rights()) << log.text();
    }
    EXPECT_GT(test::command_counts(all.servers()[0])["role"], 0U);
}

TEST_F(acl_of_sentinels, each_right_is_used_and_the_one_that_is_needed_is_named_to_whoever_lacks_it) {
    auto const rule = acl_rule({"reentrant"}, "jobs:", {server_mode::sentinel});
    auto const of_sentinels = acl_rule_of_sentinels();
    for (auto const& right : of_sentinels) {
        if (right == "resetchannels") continue; // it takes away, where users begin with all channels
        if (right == "+ping") continue;         // in place of a question, where nothing is to be asked
        for (std::size_t i = 0; i < 3; ++i) all.ask(i, {"ACL", "LOG", "RESET"});
        auto const was_refused = [&](std::string const& what) {
            for (std::size_t i = 0; i < 3; ++i)
                for (auto const& entry : all.ask(i, {"ACL", "LOG"}).items)
                    for (auto const& item : entry.items)
                        if (item.is_text() && item.text == what) return true;
            return false;
        };
        told log;
        log.run([&] {
            auto settings = with(rule, without(of_sentinels, right));
            settings.ping_interval = 100ms; // the Sentinel that tells of failovers is asked as often
            client user(settings);
            EXPECT_TRUE(user.get_lock("jobs:nightly").try_lock());
            EXPECT_TRUE(wait_until([&] { return was_refused(right.substr(1)); })) << right << " is not used";
        });
        bool const needed = right == "+sentinel|get-master-addr-by-name";
        EXPECT_EQ(log.is_of_rights(), needed) << right << ": " << log.text();
        EXPECT_EQ(log.text().find("'" + right.substr(1) + "'") != std::string::npos, needed) << log.text();
    }
}

TEST_F(acl_of_sentinels, without_the_right_to_ask_for_roles_the_servers_are_used_all_the_same) {
    told log;
    log.run([&] {
        client user(
            with(without(acl_rule({"reentrant"}, "jobs:", {server_mode::sentinel}), "+role"), acl_rule_of_sentinels()));
        EXPECT_TRUE(user.get_lock("jobs:nightly").try_lock());
    });
    EXPECT_FALSE(log.is_of_rights()) << log.text();
}

// --- one of several servers

TEST(acl_of_replicated_servers, is_enough_also_after_a_promotion) {
    test::replica_set servers(1);
    auto const rule = acl_rule({"reentrant"}, "jobs:", {server_mode::replicated});
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(servers[i].admin().command(new_user(rule)).text, "OK");
    auto settings = settings_for("");
    settings.topology.mode = server_mode::replicated;
    settings.topology.nodes = {servers.uri(0), servers.uri(1)};
    client user(settings);
    EXPECT_TRUE(user.get_lock("jobs:before").try_lock());
    servers.promote(1);
    EXPECT_TRUE(wait_until([&] {
        auto const held = user.get_lock("jobs:after").try_acquire({.wait = 5s, .owner = owner()});
        return held && test::holders(servers[1], "jobs:after").size() == 1;
    }));
    EXPECT_GT(test::command_counts(servers[1])["role"], 0U);
}

// --- a database other than 0

TEST(acl_of_a_database, is_enough_and_the_right_is_named_to_whoever_lacks_it) {
    test::redis_server server;
    auto const acquire = [&](words const& rights) {
        EXPECT_EQ(server.admin().command(new_user(rights)).text, "OK");
        auto settings = settings_for(server.uri());
        settings.database = 3;
        try {
            client user(settings);
            user.get_lock("jobs:nightly").acquire({.wait = 5s}).release();
        } catch (error const& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    auto const rule = acl_rule({"reentrant"}, "jobs:", {.selects = true});
    EXPECT_EQ(acquire(rule), "");
    EXPECT_THAT(acquire(without(rule, "+select")), HasSubstr("give this user the right +select"));
}

// --- replicas that confirm locks

TEST(acl_of_confirmed_locks, is_enough_and_each_right_is_named_to_whoever_lacks_it) {
    test::replica_set servers(1);
    auto const rule = acl_rule({"reentrant"}, "jobs:", {.replicas_confirm = true});
    auto const acquire = [&](words const& rights) {
        EXPECT_EQ(servers[0].admin().command(new_user(rights)).text, "OK");
        auto settings = settings_for(servers.uri(0));
        settings.replicas = replica_policy::all();
        client user(settings);
        try {
            user.get_lock("jobs:nightly").acquire({.wait = 5s}).release();
        } catch (error const& refused) {
            return std::string(refused.what());
        }
        return std::string();
    };
    EXPECT_EQ(acquire(rule), "");
    for (std::string const right : {"+wait", "+role"})
        EXPECT_THAT(acquire(without(rule, right)), HasSubstr("'" + right.substr(1) + "'"));
}

} // namespace
} // namespace redlatch::cli
