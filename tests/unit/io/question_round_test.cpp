// Questions to servers of which some are silent, absent or odd.
#include "io/question_round.hpp"
#include "io/scripted_server.hpp"
#include "resp/command.hpp"

#include <gmock/gmock.h>
#include <thread>

namespace redlatch::io {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

struct asked_servers {
    round_bell bell;
    question_round round{{}, {.identify = false, .to_sentinel = true}, resp::command("ASK"), 1, 1ms};
    std::vector<std::string> told; ///< in the order of their ends: the answer, or what went wrong

    void add(endpoint const& where) { round.servers.push_back({where, nullptr}); }
    void ask(base::instant until = lease_clock::now() + test::patience, bool first_is_enough = true) {
        round.ask(until, bell, [&](std::size_t which, brief_question const* one, std::string const& problem, errc) {
            told.push_back(std::to_string(which) + ": " + (problem.empty() ? one->replies().at(0).text : problem));
            return first_is_enough && problem.empty() ? base::instant{} : base::never;
        });
    }
    /// Answers the greeting and the question.
    static void answer(scripted_server& server, std::string const& text) {
        server.accept();
        EXPECT_EQ(server.read_command(), "PING");
        server.say("+PONG\r\n");
        EXPECT_EQ(server.read_command(), "ASK");
        server.say("+" + text + "\r\n");
    }
};

TEST(question_round, is_over_with_an_answer_that_is_enough) {
    asked_servers all;
    scripted_server first;
    all.add(first.where());
    std::thread server([&] { asked_servers::answer(first, "here"); });
    all.ask();
    server.join();
    EXPECT_THAT(all.told, ElementsAre("0: here"));
}

TEST(question_round, goes_on_to_the_next_one_when_one_is_silent_or_absent) {
    asked_servers all;
    scripted_server const silent;
    scripted_server absent;
    absent.stop_listening();
    scripted_server last;
    for (auto const& where : {silent.where(), absent.where(), last.where()}) all.add(where);
    std::thread server([&] { asked_servers::answer(last, "here"); });
    all.ask();
    server.join();
    EXPECT_THAT(all.told, ElementsAre(HasSubstr("1: the Sentinel " + absent.where().display() + " cannot be reached"),
                                      "2: here"));
}

constexpr char const* silent_number = "127.0.0.2";

/// A name with two addresses, the first of which says nothing.
std::vector<address> silent_one_first(endpoint const& where, bool numeric_only, std::string& problem) {
    auto silent = where;
    silent.host_or_path = silent_number;
    auto found = resolve(silent, numeric_only, problem);
    for (auto const& one : resolve(where, numeric_only, problem)) found.push_back(one);
    return found;
}

TEST(question_round, tries_each_address_of_a_name) {
    asked_servers all;
    all.round.look_up = silent_one_first;
    scripted_server lives;
    scripted_server const silent(silent_number, lives.where().port);
    all.add(lives.where());
    std::thread server([&] { asked_servers::answer(lives, "here"); });
    all.ask(base::later(lease_clock::now(), 2s));
    server.join();
    EXPECT_THAT(all.told, ElementsAre("0: here"));
}

TEST(question_round, fails_when_all_addresses_of_a_name_are_silent) {
    asked_servers all;
    all.round.look_up = silent_one_first;
    scripted_server const also_silent;
    scripted_server const silent(silent_number, also_silent.where().port);
    all.add(also_silent.where());
    all.ask(base::later(lease_clock::now(), 200ms));
    EXPECT_THAT(all.told, ElementsAre(HasSubstr("did not answer in time")));
}

TEST(question_round, says_whose_name_nobody_knows_and_goes_on) {
    asked_servers all;
    scripted_server last;
    endpoint unknown;
    unknown.host_or_path = std::string(70, 'x'); // a name server is not asked for such a name: it is too long
    unknown.port = 6379;
    all.add(unknown);
    all.add(last.where());
    std::thread server([&] { asked_servers::answer(last, "here"); });
    all.ask();
    server.join();
    EXPECT_THAT(all.told, ElementsAre(HasSubstr("0: the Sentinel " + unknown.display()
                                                + " cannot be reached: the host name cannot be resolved"),
                                      "1: here"));
}

TEST(question_round, hears_all_where_one_is_not_enough) {
    asked_servers all;
    scripted_server first;
    scripted_server second;
    all.add(first.where());
    all.add(second.where());
    std::thread server([&] {
        asked_servers::answer(second, "b");
        asked_servers::answer(first, "a");
    });
    all.ask(lease_clock::now() + test::patience, false);
    server.join();
    EXPECT_THAT(all.told, UnorderedElementsAre("1: b", "0: a"))
        << "in what order depends on when the thread that asks reads";
}

TEST(question_round, ends_in_time) {
    asked_servers all;
    scripted_server const silent;
    all.add(silent.where());
    all.ask(lease_clock::now() + 20ms);
    EXPECT_THAT(all.told, ElementsAre("0: the Sentinel " + silent.where().display() + " did not answer in time"));
}

TEST(question_round, ends_with_the_bell) {
    asked_servers all;
    scripted_server const silent;
    all.add(silent.where());
    std::thread other([&] { all.bell.ring(); });
    all.ask(base::never);
    other.join();
    EXPECT_THAT(all.told, ::testing::IsEmpty());
}

TEST(question_round, says_what_is_wrong_with_an_answer) {
    asked_servers all;
    scripted_server odd;
    all.add(odd.where());
    std::thread server([&] {
        odd.accept();
        odd.read_command();
        odd.say("+PONG\r\n");
        odd.read_command();
        odd.say("nonsense\r\n");
    });
    all.ask();
    server.join();
    EXPECT_THAT(all.told, ElementsAre(HasSubstr("does not speak the Redis protocol")));
}

} // namespace
} // namespace redlatch::io
