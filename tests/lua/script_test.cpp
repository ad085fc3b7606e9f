#include "lua/script_test.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace redlatch::test {
namespace {

bool is_installed(std::string const& program) {
    char const* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (std::filesystem::exists(folder + "/" + program)) return true;
    }
    return false;
}

// Rounded up to ten seconds: a slow machine may take that long between a call and a look.
std::string lease_text(std::int64_t pttl) {
    if (pttl == -1) return "no expiry";
    return std::to_string((pttl + 9'999) / 10'000 * 10) + "s";
}

words script_command(std::string const& name, std::string_view body, words const& keys, words const& arguments) {
    words command{name, std::string(body), std::to_string(keys.size())};
    command.insert(command.end(), keys.begin(), keys.end());
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

} // namespace

void script_test::SetUp() {
    auto const program = GetParam().substr(0, GetParam().find(' '));
    if (!is_installed(program)) GTEST_SKIP() << program << " is not installed here";
    server_.emplace(server_options{.program = program});
    admin_.emplace(server_->admin());
    for (auto const* script : all_scripts()) command({"SCRIPT", "LOAD", std::string(script->text)});
}

void script_test::run(locking::script const& script, std::vector<script_case> const& table) {
    for (auto const& row : table) {
        SCOPED_TRACE(std::string(script.name) + ": " + row.what);
        command({"FLUSHALL"});
        for (auto const& step : row.before) command(step);
        listener ear(server());
        EXPECT_EQ(shown(call(script, row.keys, row.arguments)), row.reply);
        EXPECT_EQ(state(), row.after);
        EXPECT_EQ(shown(call(script, row.keys, row.arguments)), row.reply_to_a_repeat);
        EXPECT_EQ(state(), row.after) << "after a repeat";
        EXPECT_EQ(ear.heard(), row.told);
    }
}

resp::value script_test::call(raw_client& client, locking::script const& script, words const& keys,
                              words const& arguments) {
    return client.command(script_command("EVALSHA", script.sha1, keys, arguments));
}

resp::value script_test::command(words const& arguments) {
    auto reply = admin().command(arguments);
    if (reply.is_error()) throw std::runtime_error(arguments.front() + ": " + reply.text);
    return reply;
}

raw_client script_test::restricted(std::vector<std::string> const& rights) {
    words rules{"ACL", "SETUSER", "restricted", "reset", "on", "nopass", "~*", "&*", "+@all"};
    rules.insert(rules.end(), rights.begin(), rights.end());
    command(rules);
    auto client = server().admin();
    if (client.command("AUTH", "restricted", "any").is_error()) throw std::runtime_error("AUTH was refused");
    return client;
}

std::vector<std::string> script_test::state() {
    std::vector<std::string> lines;
    for (auto const& key : command({"KEYS", "*"}).items) {
        std::string content;
        if (command({"TYPE", key.text}).text == "hash") {
            auto const fields = command({"HGETALL", key.text});
            for (std::size_t i = 0; i + 1 < fields.items.size(); i += 2) {
                content += (i == 0 ? "{" : " ") + fields.items[i].text + "=" + fields.items[i + 1].text;
            }
            content += "}";
        } else {
            content = command({"GET", key.text}).text;
        }
        lines.push_back(key.text + " " + content + " " + lease_text(command({"PTTL", key.text}).integer));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string script_test::shown(resp::value const& reply) {
    switch (reply.type) {
    case resp::value::kind::nil: return "nil";
    case resp::value::kind::integer:
        return reply.integer > 1'000 ? lease_text(reply.integer) : std::to_string(reply.integer);
    case resp::value::kind::status: return "+" + reply.text;
    case resp::value::kind::string: return '"' + reply.text + '"';
    case resp::value::kind::error: return "!" + reply.text.substr(0, reply.text.find(' '));
    case resp::value::kind::array: break;
    }
    std::string text = "[";
    for (auto const& item : reply.items) text += (text.size() > 1 ? " " : "") + shown(item);
    return text + "]";
}

listener::listener(redis_server& server) : server_(server), connection_(server.admin()) {
    connection_.command("PSUBSCRIBE", "*");
}

std::vector<std::string> listener::heard() {
    server_.run("PUBLISH", "end of listening", "");
    std::vector<std::string> messages;
    for (;;) {
        auto const message = connection_.receive(); // pmessage, pattern, channel, message
        if (message.items.at(2).text == "end of listening") return messages;
        messages.push_back(message.items.at(2).text + " " + message.items.at(3).text);
    }
}

std::vector<locking::script const*> all_scripts() {
    return {locking::scripts::all.begin(), locking::scripts::all.end()};
}

} // namespace redlatch::test
