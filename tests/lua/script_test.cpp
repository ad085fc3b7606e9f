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
    if (pttl < 0) return "over";
    constexpr std::int64_t never = 900'000'000'000'000; // and less: of a permit without a lease
    if (pttl > never) return "never";
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
        EXPECT_EQ(state(), row.after_a_repeat.value_or(row.after)) << "after a repeat";
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

std::int64_t script_test::server_time() {
    auto const time = command({"TIME"}).items;
    return std::stoll(time.at(0).text) * 1'000 + std::stoll(time.at(1).text) / 1'000;
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
        lines.push_back(key.text + " " + content_of(key.text) + " " + lease_text(command({"PTTL", key.text}).integer));
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::string script_test::content_of(std::string const& key) {
    auto const joined = [](std::vector<std::string> const& parts) {
        std::string text;
        for (auto const& part : parts) text += (text.empty() ? "" : " ") + part;
        return text;
    };
    auto const type = command({"TYPE", key}).text;
    std::vector<std::string> parts;
    if (type == "hash") {
        auto const fields = command({"HGETALL", key}).items;
        for (std::size_t i = 0; i + 1 < fields.size(); i += 2)
            parts.push_back(fields[i].text + "=" + fields[i + 1].text);
        return "{" + joined(parts) + "}";
    }
    if (type == "list") {
        for (auto const& item : command({"LRANGE", key, "0", "-1"}).items) parts.push_back(item.text);
        return "[" + joined(parts) + "]";
    }
    if (type == "zset") { // times, as what is left until then
        auto const now = server_time();
        auto const members = command({"ZRANGE", key, "0", "-1", "WITHSCORES"}).items;
        for (std::size_t i = 0; i + 1 < members.size(); i += 2)
            parts.push_back(members[i].text + "=" + lease_text(std::stoll(members[i + 1].text) - now));
        return "<" + joined(parts) + ">";
    }
    return command({"GET", key}).text;
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
