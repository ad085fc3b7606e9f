// Replies that make no sense, in place of the answer to each script that each type runs: somebody is told, and nobody crashes.
#include "integration/fixture.hpp"
#include "locking/script.hpp"
#include "support/descriptor.hpp"
#include "support/every_use.hpp"
#include "support/lies.hpp"

#include <redlatch/log.hpp>

#include <array>
#include <csignal>
#include <deque>
#include <fcntl.h>
#include <gtest/gtest-spi.h>
#include <memory>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

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

/// A process that does everything with this type, and is told one lie. The proxy that tells it has a thread, which may hold a
/// mutex when the process is forked: the process has one of its own.
class deceived {
public:
    deceived(use_of_type const& type, locking::script const& about, std::string const& bytes) {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
        said_ = descriptor(ends[0]);
        descriptor const said(ends[1]);
        child_ = ::fork();
        if (child_ < 0) throw std::runtime_error("fork");
        if (child_ == 0) ::_exit(use(type, about, bytes, said.get()));
    }
    deceived(deceived const&) = delete;
    deceived& operator=(deceived const&) = delete;
    ~deceived() {
        if (child_ == 0) return;
        ::kill(child_, SIGKILL); // what it goes on with, or waits for in vain, is not asked
        ::waitpid(child_, nullptr, 0);
    }

    /// Until somebody is told something behind the lie, or all was done; or it ends.
    std::string says() {
        std::string text;
        std::array<char, 4096> some{};
        for (;;) {
            auto const count = ::read(said_.get(), some.data(), some.size());
            if (count > 0) text.append(some.data(), static_cast<std::size_t>(count));
            if (count <= 0) return text;
            if (text.ends_with('\n')) return text;
        }
    }
    /// Otherwise than by having done everything, or having been refused something: as when it crashes. After says().
    bool has_crashed() {
        int status = 0;
        if (::waitpid(child_, &status, WNOHANG) == 0) return false;
        child_ = 0;
        return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    }

private:
    int use(use_of_type const& type, locking::script const& about, std::string const& bytes, int out) {
        auto const say = [out](std::string const& line) { (void)!::write(out, (line + "\n").data(), line.size() + 1); };
        testing::TestPartResultArray failures;
        testing::ScopedFakeTestPartResultReporter const reporter(
            testing::ScopedFakeTestPartResultReporter::INTERCEPT_ALL_THREADS, &failures);
        byte_proxy proxy(server_.address());
        auto const trap = proxy.replace_reply(a_script(about), bytes);
        set_log_sink(
            [say, trap](log_level, std::string_view line) {
                if (trap.sprung()) say(std::string(line));
            },
            log_level::warning);
        try {
            client user(settings_of(proxy.uri()));
            client other(settings_of(proxy.uri()));
            type.use(user, other);
        } catch (error const& problem) {
            say(problem.what());
        }
        set_log_sink({});
        say("the end");
        return 0;
    }

    redis_server server_{};
    descriptor said_{};
    pid_t child_ = 0;
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
        EXPECT_FALSE(all[i].process->says().empty());
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
