// A holder that is stopped beyond its lease and writes when another one has written: a resource that compares tokens refuses
// it, one that does not loses the later write. The writers are the programs of examples/fencing.
#include "postgresql_server.hpp"
#include "support/child_process.hpp"
#include "support/in_ci.hpp"
#include "support/redis_server.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <vector>

namespace redlatch::test {
namespace {

class late_write : public testing::Test {
protected:
    using words = std::vector<std::string>;
    enum class resource { checks, does_not_check };

    /// The first writer is stopped, the second one writes, the first one goes on. What each of them says of its write.
    struct verdicts {
        std::string second{};
        std::string first{};
    };

    /// `program`: the writer and what it takes before the line that it writes.
    verdicts of_writers(words const& program, resource what) const {
        auto const first = started(program, "of the first", what);
        EXPECT_EQ(first->read_line(), "holds the lock with token 1");
        first->signal(SIGSTOP);
        siginfo_t change{};
        EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(first->pid()), &change, WSTOPPED), 0);
        first->write("\n"); // which it reads when it goes on

        auto const second = started(program, "of the second", what);
        EXPECT_EQ(second->read_line(), "holds the lock with token 2") << "the lease of the first has ended";
        second->write("\n");
        verdicts result;
        result.second = last_line(*second);
        first->signal(SIGCONT);
        result.first = last_line(*first);
        return result;
    }

    redis_server locks;

private:
    static std::unique_ptr<child_process> started(words arguments, std::string const& line, resource what) {
        arguments.push_back(line);
        if (what == resource::does_not_check) arguments.emplace_back("--unchecked");
        return std::make_unique<child_process>(child_options{.arguments = std::move(arguments)});
    }
    static std::string last_line(child_process& writer) {
        auto const line = writer.read_line();
        EXPECT_EQ(writer.wait(), 0) << writer.error_text();
        return line.value_or("nothing: " + writer.error_text());
    }
};

class late_write_to_redis : public late_write {
protected:
    verdicts of_writers(resource what) const {
        return late_write::of_writers({REDLATCH_REDIS_WRITER, locks.address().path}, what);
    }
    std::string page(std::string const& field) const { return locks.run("HGET", "page", field).text; }
};

TEST_F(late_write_to_redis, is_refused_by_a_script_that_compares_tokens) {
    auto const said = of_writers(resource::checks);
    EXPECT_EQ(said.second, "written");
    EXPECT_EQ(said.first, "refused: the token is stale");
    EXPECT_EQ(page("line"), "of the second");
    EXPECT_EQ(page("token"), "2");
}

TEST_F(late_write_to_redis, undoes_the_later_holders_where_nobody_compares) {
    auto const said = of_writers(resource::does_not_check);
    EXPECT_EQ(said.second, "written");
    EXPECT_EQ(said.first, "written");
    EXPECT_EQ(page("line"), "of the first") << "no lock can stop it";
}

class late_write_to_postgresql : public late_write {
protected:
    void SetUp() override {
        std::string missing;
        if (std::string_view(REDLATCH_POSTGRESQL_WRITER).empty()) missing = "libpq is missing (package libpq-dev)";
        if (postgresql_programs().empty()) missing = "PostgreSQL is missing (package postgresql)";
        if (missing.empty()) {
            database = std::make_unique<postgresql_server>();
            database->run("CREATE TABLE page (id int PRIMARY KEY, line text, token bigint NOT NULL DEFAULT 0)");
            database->run("INSERT INTO page VALUES (1)");
            return;
        }
        if (in_ci()) FAIL() << "CI must have it: " << missing;
        GTEST_SKIP() << "fencing tests skipped: " << missing;
    }

    verdicts of_writers(resource what) const {
        return late_write::of_writers({REDLATCH_POSTGRESQL_WRITER, locks.address().path, database->connection()}, what);
    }
    std::string page(std::string const& column) const { return database->run("SELECT " + column + " FROM page"); }

    std::unique_ptr<postgresql_server> database;
};

TEST_F(late_write_to_postgresql, is_refused_by_an_update_that_compares_tokens) {
    auto const said = of_writers(resource::checks);
    EXPECT_EQ(said.second, "written");
    EXPECT_EQ(said.first, "refused: the token is stale");
    EXPECT_EQ(page("line"), "of the second");
    EXPECT_EQ(page("token"), "2");
}

TEST_F(late_write_to_postgresql, undoes_the_later_holders_where_nobody_compares) {
    auto const said = of_writers(resource::does_not_check);
    EXPECT_EQ(said.second, "written");
    EXPECT_EQ(said.first, "written");
    EXPECT_EQ(page("line"), "of the first") << "no lock can stop it";
}

} // namespace
} // namespace redlatch::test
