// Replies that make no sense, in place of the answer to each script that each type runs: somebody is told, and nobody crashes.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/every_use.hpp"
#include "support/lies.hpp"
#include "support/telling_process.hpp"

#include <redlatch/log.hpp>

#include <deque>
#include <memory>
#include <set>

namespace redlatch::test {
namespace {

config settings_of(std::string const& uri) {
    auto settings = quick(uri);
    settings.commands = command_set::scripts;
    settings.lock_watchdog_timeout = 900ms;
    return settings;
}

using script_ptr = locking::script const*;

/// Those that the use of this type runs.
std::vector<script_ptr> scripts_of(use_of_type const& type) {
    redis_server const server;
    byte_proxy const proxy(server.address());
    {
        client user(settings_of(proxy.uri()));
        client other(settings_of(proxy.uri()));
        type.use(user, other);
    }
    std::vector<script_ptr> found;
    for (auto const* one : locking::scripts::all)
        if (proxy.count(a_script(*one)) > 0) found.push_back(one);
    return found;
}

/// A process that does everything with this type, and is told one lie. The proxy that tells it has a thread: it is made there.
class deceived {
public:
    deceived(use_of_type const& type, locking::script const& about, std::string const& bytes)
        : process_([&](telling_process::teller const& tell) { use(type, about, bytes, tell); }) {}

    /// Somebody is told something behind the lie, or all was done.
    bool tells() {
        return process_.tells([](std::string const& all) { return all.ends_with('\n'); });
    }
    /// After tells().
    bool has_crashed() { return process_.has_crashed(); }

private:
    void use(use_of_type const& type, locking::script const& about, std::string const& bytes,
             telling_process::teller const& tell) const {
        byte_proxy proxy(server_.address());
        auto const trap = proxy.replace_reply(a_script(about), bytes);
        set_log_sink(
            [tell, trap](log_level, std::string_view line) {
                if (trap.sprung()) tell(line);
            },
            log_level::warning);
        client user(settings_of(proxy.uri()));
        client other(settings_of(proxy.uri()));
        type.use(user, other);
    }

    redis_server server_{};
    telling_process process_;
};

/// Correct in their form; a number, an array or a text may be what another script says.
std::vector<lie> some_lies() {
    std::vector<lie> some;
    for (auto const& one : lies())
        for (std::string_view const what : {"status", "deep_array", "least_number", "unknown_error"})
            if (one.what == what) some.push_back(one);
    return some;
}

class hostile_scripts : public ::testing::TestWithParam<use_of_type> {};
INSTANTIATE_TEST_SUITE_P(each_type, hostile_scripts, ::testing::ValuesIn(uses_of_all_types()),
                         [](auto const& about) { return about.param.type; });

TEST_P(hostile_scripts, are_told_and_crash_nobody) {
    struct attempt {
        script_ptr about;
        lie what;
        std::unique_ptr<deceived> process{};
    };
    std::deque<attempt> all;
    for (auto const* script : scripts_of(GetParam()))
        for (auto const& one : some_lies()) all.push_back({script, one});
    ASSERT_FALSE(all.empty());
    for (std::size_t begun = 0, i = 0; i < all.size(); ++i) {
        for (; begun < all.size() && begun < i + 8; ++begun) // they mostly wait
            all[begun].process = std::make_unique<deceived>(GetParam(), *all[begun].about, all[begun].what.bytes);
        SCOPED_TRACE(std::string(all[i].about->name) + ", " + all[i].what.what);
        EXPECT_TRUE(all[i].process->tells());
        EXPECT_FALSE(all[i].process->has_crashed());
        all[i].process.reset();
    }
}

/// So that none is forgotten. The others: what doctor asks, what confirms or undoes an acquisition, and renewals of permits.
TEST(hostile_scripts, are_nearly_all_that_there_are) {
    std::set<std::string_view> played{"allowed_commands", "counter_mark", "permit_renew", "semaphore_undo"};
    for (auto const& type : uses_of_all_types())
        for (auto const* script : scripts_of(type)) played.insert(script->name);
    std::vector<std::string_view> missing;
    for (auto const* one : locking::scripts::all)
        if (!played.contains(one->name)) missing.push_back(one->name);
    EXPECT_EQ(missing, std::vector<std::string_view>{});
}

} // namespace
} // namespace redlatch::test
