// How a server is asked about its replicas, against one that the test plays by hand.
#include "io/replica_lane.hpp"
#include "io/scripted_server.hpp"
#include "locking/recipes/recipes.hpp"
#include "locking/replica_demand.hpp"
#include "support/wait_until.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <memory>
#include <string>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using end = replica_question::end;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class replica_lane_test : public ::testing::Test {
protected:
    scripted_server server;
    std::shared_ptr<reactor> loop = std::make_shared<reactor>();
    locking::record_settings const settings{};
    std::shared_ptr<locking::lock_record> record =
        std::make_shared<locking::lock_record>("orders", locking::reentrant_recipe, settings);
    std::shared_ptr<replica_lane> lane;
    int connections = 0;

    ~replica_lane_test() override {
        if (lane) lane->close();
        loop->stop();
    }

    void make(int replicas) {
        lane::settings how;
        how.where = server.where();
        how.timeout = 60s;
        how.ping_interval = 0ms;
        how.longest_pause = 10ms;
        lane = std::make_shared<replica_lane>(loop, how, lane::hooks{}, replicas, replica_lane::other_node{});
    }
    replica_question_ptr ask(int replicas, std::string const& owner = "me:1", base::milliseconds time = 60s) {
        if (!lane) make(replicas);
        auto question = std::make_shared<replica_question>();
        question->mark = record->how->set_count(record->context(owner, 1ms), 3);
        question->read_mark = record->how->read_count;
        question->replicas = replicas;
        question->until = base::later(lease_clock::now(), time);
        lane->ask(question);
        return question;
    }
    void greet() {
        server.accept();
        EXPECT_EQ(server.read_commands(2), (std::vector<std::string>{"CLIENT INFO", "INFO"}));
        ++connections;
        server.say(bulk("id=" + std::to_string(connections) + " addr=127.0.0.1:" + std::to_string(connections))
                   + bulk("run_id:abc\r\nredis_version:7.0.15\r\n"));
    }
    /// The lock is written once more for this owner: the count that it has, and not a longer lease.
    void expect_mark(std::string const& owner = "me:1", std::string const& command = "EVAL") {
        EXPECT_THAT(server.read_command(), AllOf(StartsWith(command + " "), EndsWith(" 1 orders 1 " + owner + " 3")));
    }
    /// On a new connection the former one is ended first.
    void expect_mark_behind_kills() {
        auto command = server.read_command();
        for (; command.starts_with("CLIENT KILL"); command = server.read_command()) server.say(":1\r\n");
        EXPECT_THAT(command, AllOf(HasSubstr("EVAL"), EndsWith(" 1 orders 1 me:1 3")));
    }
    void expect_wait(int replicas) {
        EXPECT_THAT(server.read_command(), StartsWith("WAIT " + std::to_string(replicas) + " "));
    }
    /// The other one is being waited for.
    replica_question_ptr ask_for_two_of_which_one_confirms() {
        auto question = ask(2);
        greet();
        expect_mark();
        expect_wait(2);
        server.say(":1\r\n:1\r\n");
        expect_wait(2);
        EXPECT_EQ(question->confirmed, 1);
        return question;
    }
    static end end_of(replica_question_ptr const& question) {
        EXPECT_TRUE(test::wait_until([&] { return question->has_ended(); }));
        return question->ended.load();
    }
};

TEST_F(replica_lane_test, the_lock_is_written_once_more_and_replicas_are_waited_for_behind_it) {
    auto const question = ask(2);
    greet();
    expect_mark();
    expect_wait(2);
    server.say(":1\r\n:2\r\n");
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 2);
}

TEST_F(replica_lane_test, nothing_has_ended_before_the_replicas_have_answered) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say(":1\r\n");
    ASSERT_TRUE(server.has_been_heard());
    EXPECT_TRUE(test::stays([&] { return !question->has_ended(); }, 50ms));
    server.say(":1\r\n");
    EXPECT_EQ(end_of(question), end::counted);
}

TEST_F(replica_lane_test, a_script_that_the_server_knows_is_named) {
    auto const first = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say(":1\r\n:1\r\n");
    end_of(first);
    auto const second = ask(1);
    expect_mark("me:1", "EVALSHA");
    expect_wait(1);
    server.say("-NOSCRIPT No matching script\r\n:1\r\n"); // it was restarted, and has forgotten it
    expect_mark();
    expect_wait(1);
    server.say(":1\r\n:1\r\n");
    EXPECT_EQ(end_of(second), end::counted);
}

TEST_F(replica_lane_test, a_server_that_forgets_the_text_too_has_refused) {
    auto const question = ask(1);
    greet();
    for (int time = 0; time < 2; ++time) {
        expect_mark();
        expect_wait(1);
        server.say("-NOSCRIPT No matching script\r\n:1\r\n");
    }
    EXPECT_EQ(end_of(question), end::refused);
    EXPECT_THAT(question->said, StartsWith("NOSCRIPT"));
}

TEST_F(replica_lane_test, questions_that_come_meanwhile_share_the_next_wait) {
    auto const first = ask(1, "me:1");
    greet();
    expect_mark("me:1");
    expect_wait(1);
    auto const second = ask(1, "me:2");
    auto const third = ask(1, "me:3");
    server.say(":1\r\n:1\r\n");
    EXPECT_EQ(end_of(first), end::counted);
    EXPECT_FALSE(second->has_ended());
    expect_mark("me:2", "EVALSHA");
    expect_mark("me:3", "EVALSHA");
    expect_wait(1);
    server.say(":1\r\n:1\r\n:1\r\n");
    EXPECT_EQ(end_of(second), end::counted);
    EXPECT_EQ(end_of(third), end::counted);
}

TEST_F(replica_lane_test, fewer_are_waited_for_again_without_another_write) {
    auto const question = ask_for_two_of_which_one_confirms();
    EXPECT_FALSE(question->has_ended());
    server.say(":2\r\n");
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 2);
}

TEST_F(replica_lane_test, what_was_written_on_a_connection_that_is_lost_counts_for_nothing) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say(":1\r\n");
    ASSERT_TRUE(server.has_been_heard());
    server.break_off();
    greet();
    expect_mark_behind_kills();
    expect_wait(1);
    EXPECT_FALSE(question->has_ended());
    server.say(":1\r\n:1\r\n");
    EXPECT_EQ(end_of(question), end::counted);
}

TEST_F(replica_lane_test, what_replicas_of_a_former_connection_said_is_no_answer) {
    auto const question = ask_for_two_of_which_one_confirms();
    server.break_off();
    greet();
    expect_mark_behind_kills();
    expect_wait(2);
    EXPECT_EQ(question->confirmed, -1);
    server.say(":1\r\n:0\r\n"); // another master, of which no replica has it
    expect_wait(2);
    EXPECT_EQ(question->confirmed, 0);
}

TEST_F(replica_lane_test, a_lock_that_is_gone_is_told_without_a_word_of_the_replicas) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say(":0\r\n");
    EXPECT_EQ(end_of(question), end::not_held);
}

TEST_F(replica_lane_test, a_server_that_executes_nothing_now_is_asked_again) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say("-LOADING Redis is loading the dataset in memory\r\n-LOADING Redis is loading\r\n");
    EXPECT_THAT(server.read_command(), EndsWith(" 1 orders 1 me:1 3"));
    expect_wait(1);
    EXPECT_FALSE(question->has_ended());
    server.say(":1\r\n:1\r\n");
    EXPECT_EQ(end_of(question), end::counted);
}

TEST_F(replica_lane_test, a_refusal_of_the_write_is_not_one_of_the_question) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say("-NOPERM this user has no permissions to run the 'eval' command\r\n:1\r\n");
    EXPECT_EQ(end_of(question), end::refused);
    EXPECT_FALSE(question->cannot_wait);
    EXPECT_THAT(question->said, StartsWith("NOPERM"));
}

TEST_F(replica_lane_test, a_server_without_wait_is_told_from_one_that_refuses_the_lock) {
    auto const question = ask(1);
    greet();
    expect_mark();
    expect_wait(1);
    server.say(":1\r\n-ERR unknown command 'WAIT'\r\n");
    EXPECT_EQ(end_of(question), end::refused);
    EXPECT_TRUE(question->cannot_wait);
    EXPECT_EQ(question->said, "WAIT: ERR unknown command 'WAIT'");
}

std::string master_with(int replicas) {
    std::string text = "*3\r\n$6\r\nmaster\r\n:77\r\n*" + std::to_string(replicas) + "\r\n";
    for (int i = 0; i < replicas; ++i) text += "*3\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\n7\r\n";
    return text;
}

/// It counts for nothing that some of its replicas may have the lock, and nothing is told of a server without WAIT.
TEST_F(replica_lane_test, a_server_that_has_become_a_replica_is_left) {
    auto const question = ask(1);
    for (std::string const said :
         {"UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)",
          "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is "
          "configured"}) {
        greet();
        connections == 1 ? expect_mark() : expect_mark_behind_kills();
        expect_wait(1);
        server.say(":1\r\n-" + said + "\r\n");
    }
    greet();
    expect_mark_behind_kills();
    expect_wait(1);
    EXPECT_FALSE(question->has_ended());
    server.say(":1\r\n:1\r\n");
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 1);
}

TEST_F(replica_lane_test, a_server_that_says_it_is_a_replica_is_left) {
    auto const question = ask(locking::replica_demand::all);
    greet();
    expect_mark();
    EXPECT_EQ(server.read_command(), "ROLE");
    server.say(":1\r\n*5\r\n$5\r\nslave\r\n$1\r\na\r\n:1\r\n$9\r\nconnected\r\n:7\r\n");
    greet();
    expect_mark_behind_kills();
    EXPECT_EQ(server.read_command(), "ROLE");
    EXPECT_FALSE(question->has_ended());
    server.say(":1\r\n" + master_with(0));
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->connected, 0);
}

/// All replicas were asked for, there are two, and they are waited for.
struct two_replicas_test : replica_lane_test {
    replica_question_ptr const question = ask(locking::replica_demand::all);

    void SetUp() override {
        greet();
        expect_mark();
        EXPECT_EQ(server.read_command(), "ROLE");
        server.say(":1\r\n" + master_with(2));
        expect_wait(2);
    }
};

TEST_F(two_replicas_test, all_are_as_many_as_the_server_says) {
    EXPECT_EQ(question->connected, 2);
    server.say(":1\r\n");
    EXPECT_EQ(server.read_command(), "ROLE") << "one may have gone";
    server.say(master_with(1));
    expect_wait(1);
    EXPECT_FALSE(question->has_ended()) << "the one that has gone may be the one that had it";
    EXPECT_EQ(question->confirmed, -1);
    server.say(":1\r\n");
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 1);
    EXPECT_EQ(question->connected, 1);
}

TEST_F(two_replicas_test, what_one_said_that_has_gone_does_not_count_for_one_that_is_left) {
    server.say(":1\r\n");
    EXPECT_EQ(server.read_command(), "ROLE");
    server.say(master_with(1));
    expect_wait(1);
    server.say(":0\r\n");
    EXPECT_EQ(server.read_command(), "ROLE");
    EXPECT_FALSE(question->has_ended());
    EXPECT_EQ(question->confirmed, 0);
    EXPECT_EQ(question->connected, 1);
    server.say(master_with(0));
    expect_wait(0);
    server.say(":0\r\n");
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 0);
}

TEST_F(replica_lane_test, where_there_is_none_all_have_it) {
    auto const question = ask(locking::replica_demand::all);
    greet();
    expect_mark();
    EXPECT_EQ(server.read_command(), "ROLE");
    server.say(":1\r\n" + master_with(0));
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->connected, 0);
    EXPECT_EQ(question->confirmed, 0);
}

TEST_F(replica_lane_test, a_question_whose_time_is_over_ends_with_what_is_known) {
    auto const question = ask(2, "me:1", 300ms);
    greet();
    expect_mark();
    expect_wait(2);
    server.say(":1\r\n:1\r\n");
    std::string again;
    while (!question->has_ended()) { // as long as there is time
        again = server.read_command();
        if (again == "silence") break;
        server.try_to_say(":1\r\n");
        test::wait_until([&] { return question->has_ended(); }, 20ms);
    }
    EXPECT_EQ(end_of(question), end::counted);
    EXPECT_EQ(question->confirmed, 1);
    auto const next = ask(2, "me:2");
    expect_mark("me:2", "EVALSHA"); // and nobody is waited for before it
    expect_wait(2);
    server.say(":1\r\n:2\r\n");
    EXPECT_EQ(end_of(next), end::counted);
}

TEST_F(replica_lane_test, closing_ends_what_is_asked_and_what_comes_after) {
    auto const first = ask(1, "me:1");
    greet();
    expect_mark();
    expect_wait(1);
    auto const second = ask(1, "me:2");
    lane->close();
    EXPECT_EQ(end_of(first), end::closed);
    EXPECT_EQ(end_of(second), end::closed);
    EXPECT_EQ(end_of(ask(1, "me:3")), end::closed);
}

} // namespace
} // namespace redlatch::io
