#include "sim/server/command.hpp"
#include "sim/server/commands.hpp"
#include "sim/server/reply.hpp"
#include "sim/server/sha1.hpp"
#include "sim/server/text.hpp"

#include <optional>

namespace redlatch::sim::commands {
namespace {

constexpr std::size_t sha1_digits = 40;
constexpr std::string_view no_script = "NOSCRIPT No matching script. Please use EVAL.";

// EVAL's third word; none: the problem is answered.
std::optional<std::size_t> number_of_keys(call& one) {
    auto const number = integer_in(one[2]);
    if (!number) return reply::not_an_integer(one.out), std::nullopt;
    if (*number > static_cast<std::int64_t>(one.argv.size()) - 3) {
        reply::error(one.out, "ERR Number of keys can't be greater than number of args");
        return std::nullopt;
    }
    if (*number < 0) {
        reply::error(one.out, "ERR Number of keys can't be negative");
        return std::nullopt;
    }
    return static_cast<std::size_t>(*number);
}

} // namespace

void eval(call& one) {
    auto const keys = number_of_keys(one);
    if (!keys) return;
    auto const sha1 = sha1_hex(one[1]);
    auto& scripts = one.node.scripts;
    if (auto const problem = scripts.load(sha1, one[1]); !problem.empty()) return reply::error(one.out, problem);
    scripts.run(sha1, one, *keys);
}

void evalsha(call& one) {
    if (one[1].size() != sha1_digits) return reply::error(one.out, no_script);
    auto const keys = number_of_keys(one);
    if (!keys) return;
    auto const sha1 = lower(one[1]);
    if (!one.node.scripts.knows(sha1)) return reply::error(one.out, no_script);
    one.node.scripts.run(sha1, one, *keys);
}

void script_exists(call& one) {
    reply::array(one.out, one.argv.size() - 2);
    for (auto const sha1 : one.argv.subspan(2)) reply::integer(one.out, one.node.scripts.knows(lower(sha1)) ? 1 : 0);
}

void script_flush(call& one) {
    bool const understood =
        one.argv.size() == 2 || (one.argv.size() == 3 && (same_word(one[2], "sync") || same_word(one[2], "async")));
    if (!understood) return reply::error(one.out, "ERR SCRIPT FLUSH only support SYNC|ASYNC option");
    one.node.scripts.flush();
    reply::ok(one.out);
}

void script_kill(call& one) {
    reply::error(one.out, "NOTBUSY No scripts in execution right now."); // here a script never outlasts its command
}

void script_load(call& one) {
    auto const sha1 = sha1_hex(one[2]);
    if (auto const problem = one.node.scripts.load(sha1, one[2]); !problem.empty())
        return reply::error(one.out, problem);
    reply::bulk(one.out, sha1);
}

} // namespace redlatch::sim::commands
