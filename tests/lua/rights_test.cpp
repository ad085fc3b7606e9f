// A user who lacks the right to a command: once it is there, a call that was refused does what it would have done at first, and
// a refused acquisition has taken nothing. Every command of every script that writes is taken away once.
#include "lua/script_test.hpp"

#include <algorithm>
#include <regex>
#include <set>

namespace redlatch::test {
namespace {

using locking::script;
namespace scripts = locking::scripts;

/// One call, in a situation in which it writes.
struct rights_case {
    std::string what;
    script const& called;
    std::vector<words> before; ///< "now+100000" in it: that time
    words keys;
    words arguments;
    std::set<std::string> loses_its_place{}; ///< a waiter, where it is refused behind them
};

words const group_held{"HSET",
                       "x",
                       "a",
                       "me:1",
                       "a:me:1:expire_time",
                       "now+100000",
                       "a:me:1:lock_count",
                       "1",
                       "b",
                       "me:1",
                       "b:me:1:expire_time",
                       "now+100000",
                       "b:me:1:lock_count",
                       "1"};
words const group_dead{"HSET", "x", "a", "you:1", "a:you:1:expire_time", "1000", "a:you:1:lock_count", "1"};
std::vector<words> const held{{"HSET", "x", "me:1", "1"}, {"PEXPIRE", "x", "100000"}};
std::vector<words> const values_held{group_held, {"PEXPIRE", "x", "100000"}};
std::vector<words> const queued{{"RPUSH", "queue", "you:1", "she:1"},
                                {"ZADD", "times", "now+100000", "you:1", "now+200000", "she:1"}};
std::vector<words> const read_twice{{"HSET", "x", "mode", "read", "me:1", "2", "you:1", "1"},
                                    {"PEXPIRE", "x", "100000"},
                                    {"SET", "{x}:me:1:rwlock_timeout:1", "1", "PX", "100000"},
                                    {"SET", "{x}:me:1:rwlock_timeout:2", "1", "PX", "100000"},
                                    {"SET", "{x}:you:1:rwlock_timeout:1", "1", "PX", "50000"}};
std::vector<words> const written{{"HSET", "x", "mode", "write", "me:1:write", "1"}, {"PEXPIRE", "x", "100000"}};
std::vector<words> const permits{{"SET", "x", "1"}, {"ZADD", "times", "1000", "gone", "now+90000", "mine"}};

std::vector<words> both(std::vector<words> some, std::vector<words> const& others) {
    some.insert(some.end(), others.begin(), others.end());
    return some;
}

std::vector<rights_case> const table{
    {"free", scripts::lock_acquire, {}, {"x"}, {"100000", "me:1"}},
    {"held, for less", scripts::lock_acquire, held, {"x"}, {"200000", "me:1"}},
    {"held", scripts::lock_set_count, held, {"x"}, {"200000", "me:1", "2"}},
    {"held", scripts::lock_renew, held, {"x"}, {"200000", "me:1"}},
    {"held", scripts::lock_release, held, {"x"}, {"me:1", "PUBLISH", "channel"}},
    {"a minimum hold", scripts::lock_release, held, {"x"}, {"me:1", "PUBLISH", "channel", "0", "50000", "me:0"}},
    {"held", scripts::lock_force_release, held, {"x"}, {"PUBLISH", "channel"}},
    {"free", scripts::fenced_acquire, {}, {"x", "tokens"}, {"100000", "me:1", "", "200000"}},
    {"held, for less", scripts::fenced_acquire, held, {"x", "tokens"}, {"200000", "me:1", "", "200000"}},
    {"held", scripts::fenced_reenter, held, {"x", "tokens"}, {"200000", "me:1", "2", "200000"}},

    {"free", scripts::fair_acquire, {}, {"x", "queue", "times", "tokens"}, {"100000", "me:1", "5000", "1", "200000"}},
    {"its turn",
     scripts::fair_acquire,
     queued,
     {"x", "queue", "times", "tokens"},
     {"100000", "you:1", "5000", "1", "200000"},
     {"zrem", "zrange", "zadd", "hset", "pexpire"}},
    {"a place", scripts::fair_acquire, both(held, queued), {"x", "queue", "times"}, {"100000", "he:1", "5000", "1"}},
    {"held",
     scripts::fair_release,
     both(held, queued),
     {"x", "queue", "times"},
     {"me:1", "PUBLISH", "channel", "5000"}},
    {"a minimum hold",
     scripts::fair_release,
     both(held, queued),
     {"x", "queue", "times"},
     {"me:1", "PUBLISH", "channel", "5000", "50000", "me:0"}},
    {"waiting",
     scripts::fair_release,
     both(held, queued),
     {"x", "queue", "times"},
     {"you:1", "PUBLISH", "channel", "5000"}},

    {"free", scripts::read_acquire, {}, {"x", "{x}:"}, {"100000", "me:1", ""}},
    {"another reads", scripts::read_acquire, read_twice, {"x", "{x}:"}, {"200000", "she:1", ""}},
    {"reads", scripts::read_set_count, read_twice, {"x", "{x}:"}, {"200000", "me:1", "1"}},
    {"reads", scripts::read_renew, read_twice, {"x"}, {"200000", "me:1", "{x}:"}},
    {"reads", scripts::read_write_release, read_twice, {"x", "{x}:"}, {"me:1", "PUBLISH", "channel", "0"}},
    {"a minimum hold of a reader",
     scripts::read_write_release,
     read_twice,
     {"x", "{x}:"},
     {"me:1", "PUBLISH", "channel", "0", "150000", "me:0", "me:0:write"}},
    {"free", scripts::write_acquire, {}, {"x", "tokens"}, {"100000", "me:1:write", "200000"}},
    {"writes", scripts::read_write_release, written, {"x", "{x}:"}, {"me:1:write", "PUBLISH", "channel", "1"}},
    {"a minimum hold of a writer",
     scripts::read_write_release,
     written,
     {"x", "{x}:"},
     {"me:1:write", "PUBLISH", "channel", "1", "50000", "me:0", "me:0:write"}},
    {"reads", scripts::read_write_force_release, read_twice, {"x", "{x}:"}, {"read", "PUBLISH", "channel", "0"}},

    {"free", scripts::faster_multi_acquire, {}, {"x", "tokens"}, {"100000", "me:1", "200000", "a", "b"}},
    {"its lease is over",
     scripts::faster_multi_acquire,
     {group_dead, {"PEXPIRE", "x", "50000"}},
     {"x"},
     {"100000", "me:1", "a", "b"}},
    {"held, for less", scripts::faster_multi_acquire, values_held, {"x"}, {"200000", "me:1", "a", "b"}},
    {"held",
     scripts::faster_multi_set_count,
     values_held,
     {"x", "tokens"},
     {"200000", "me:1", "2", "200000", "a", "b"}},
    {"held", scripts::faster_multi_renew, values_held, {"x"}, {"200000", "me:1", "2", "a", "b"}},
    {"held", scripts::faster_multi_release, values_held, {"x"}, {"me:1", "PUBLISH", "channel", "", "", "a", "b"}},
    {"a minimum hold",
     scripts::faster_multi_release,
     values_held,
     {"x"},
     {"me:1", "PUBLISH", "channel", "50000", "me:0", "a", "b"}},
    {"held", scripts::faster_multi_force_release, values_held, {"x"}, {"PUBLISH", "channel", "a", "b"}},

    {"enough", scripts::semaphore_acquire, {{"SET", "x", "3"}}, {"x", "record"}, {"2", "200000"}},
    {"some", scripts::semaphore_drain, {{"SET", "x", "3"}}, {"x", "record"}, {"200000"}},
    {"some",
     scripts::semaphore_release,
     {{"SET", "x", "3"}},
     {"x", "record"},
     {"2", "PUBLISH", "channel", "0", "200000"}},
    {"taken",
     scripts::semaphore_undo,
     {{"SET", "x", "3"}, {"SET", "record", "3"}},
     {"x", "record"},
     {"2", "PUBLISH", "channel", "200000"}},
    {"none", scripts::counter_set, {}, {"x", "record"}, {"2", "PUBLISH", "channel", "2", "0", "200000"}},
    {"none, with an expiry",
     scripts::counter_set,
     {},
     {"x", "record"},
     {"2", "PUBLISH", "channel", "2", "100000", "200000"}},
    {"one", scripts::counter_remove, {{"SET", "x", "3"}}, {"x", "record"}, {"PUBLISH", "channel", "0", "200000"}},
    {"taken", scripts::counter_mark, {{"SET", "x", "3"}, {"SET", "record", "3"}}, {"x", "record"}, {}},
    {"two left", scripts::latch_count_down, {{"SET", "x", "2"}}, {"x", "record"}, {"PUBLISH", "channel", "200000"}},
    {"one left", scripts::latch_count_down, {{"SET", "x", "1"}}, {"x", "record"}, {"PUBLISH", "channel", "200000"}},

    {"two",
     scripts::permit_acquire,
     {{"SET", "x", "2", "PX", "300000"}},
     {"x", "times", "record"},
     {"PUBLISH", "channel", "100000", "first", "second"}},
    {"one", scripts::permit_release, permits, {"x", "times", "record"}, {"PUBLISH", "channel", "200000", "mine"}},
    {"one whose lease is valid", scripts::permit_release, permits, {"x", "times"}, {"PUBLISH", "channel", "1", "mine"}},
    {"one", scripts::permit_renew, permits, {"times"}, {"200000", "mine"}},
    {"one", scripts::permit_lease, permits, {"x", "times"}, {"PUBLISH", "channel", "50000", "mine"}},
    {"one that has ended", scripts::permit_look, permits, {"x", "times"}, {"PUBLISH", "channel", "mine"}},
    {"set", scripts::permit_set, permits, {"x", "times", "record"}, {"PUBLISH", "channel", "9", "1", "200000"}},
    {"set", scripts::permit_remove, permits, {"x", "times", "record"}, {"200000"}},
};

class rights : public script_test {
protected:
    void make(std::vector<words> const& before) {
        command({"FLUSHALL"});
        auto const now = server_time();
        for (auto step : before) {
            for (auto& word : step)
                if (word.rfind("now+", 0) == 0) word = std::to_string(now + std::stoll(word.substr(4)));
            command(step);
        }
    }
    /// Without times in hashes, and without tokens: one that nobody gets does no harm.
    std::vector<std::string> state_now() {
        std::vector<std::string> lines;
        static std::regex const time("expire_time=[0-9]{13}");
        for (auto const& line : state())
            if (line.rfind("tokens ", 0) != 0) lines.push_back(std::regex_replace(line, time, "expire_time=then"));
        return lines;
    }
    std::string answer_to(rights_case const& row) {
        auto const said = call(row.called, row.keys, row.arguments);
        bool const is_token = std::count(row.keys.begin(), row.keys.end(), "tokens") == 1 && said.items.size() == 1;
        return is_token ? "a token" : shown(said);
    }
    /// The lock or the number, whatever its lease.
    std::string content() {
        for (auto const& line : state_now())
            if (line.rfind("x ", 0) == 0) return line.substr(0, line.rfind(' '));
        return "";
    }
    /// What dead owners have left may be gone.
    bool has_taken_nothing(rights_case const& row, std::string const& before) {
        auto const now = content();
        bool const is_lock = now.empty() || now.find('{') != std::string::npos;
        return now == before || (is_lock && now.find(row.arguments.at(1)) == std::string::npos);
    }
    static std::set<std::string> commands_of(script const& about) {
        static std::regex const calls(R"(redis\.p?call\('([a-z]+)')");
        std::string const text(about.text);
        std::set<std::string> all;
        for (std::sregex_iterator at(text.begin(), text.end(), calls), end; at != end; ++at) all.insert((*at)[1]);
        if (text.find("redis.pcall(ARGV") != std::string::npos) all.insert("publish");
        return all;
    }
};
REDLATCH_ON_EVERY_SERVER(rights);

TEST_P(rights, what_was_refused_is_done_once_it_is_allowed) {
    for (auto const& row : table) {
        make(row.before);
        auto const reply = answer_to(row);
        bool const acquires = row.called.name.find("_acquire") != std::string_view::npos;
        auto const after = state_now();
        for (auto const& taken : commands_of(row.called)) {
            SCOPED_TRACE(std::string(row.called.name) + ", " + row.what + ", without the right to " + taken);
            make(row.before);
            auto const before = content();
            auto user = restricted({"-" + taken});
            if (!call(user, row.called, row.keys, row.arguments).is_error()) continue; // it can do without
            EXPECT_TRUE(!acquires || has_taken_nothing(row, before)) << content();
            if (row.loses_its_place.count(taken) == 1) continue;
            EXPECT_EQ(answer_to(row), reply);
            EXPECT_EQ(state_now(), after);
        }
    }
}

TEST_P(rights, every_script_that_writes_is_in_the_table) {
    std::set<std::string> const reads{"allowed_commands", "election_leader", "faster_multi_look"};
    for (auto const* about : all_scripts()) {
        bool const there =
            std::any_of(table.begin(), table.end(), [&](auto const& row) { return &row.called == about; });
        EXPECT_NE(there, reads.count(std::string(about->name)) == 1) << about->name;
    }
}

} // namespace
} // namespace redlatch::test
