#include "api/rights_question.hpp"

#include "locking/names.hpp"
#include "locking/recipes/fair.hpp"
#include "locking/recipes/latch.hpp"
#include "locking/recipes/read_write.hpp"
#include "locking/recipes/semaphore.hpp"
#include "locking/script.hpp"
#include "resp/command.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

namespace redlatch::detail {
namespace {

/// The words of commands about a key, which stands where K is.
constexpr std::array about_keys{
    "restore K 0 v", "hdel K f",     "evalsha s 1 K", "eval s 1 K",
    "hset K f v",    "hexists K f",  "hget K f",      "hgetall K",
    "hkeys K",       "set K v",      "get K",         "getrange K 0 1",
    "incr K",        "incrby K 1",   "decr K",        "decrby K 1",
    "pttl K",        "pexpire K 1",  "hlen K",        "del K",
    "hscan K 0",     "exists K",     "lindex K 0",    "lpop K",
    "lpos K v",      "lrange K 0 0", "lrem K 0 v",    "rpush K v",
    "zadd K 1 m",    "zcount K 0 1", "zrange K 0 1",  "zrangebyscore K 0 1",
    "zrem K m",      "zscore K m",
};
/// About a channel.
constexpr std::array about_channels{"publish K m", "subscribe K", "unsubscribe K"};
constexpr std::array about_channels_of_shards{"spublish K m", "ssubscribe K", "sunsubscribe K"};
/// About neither; a subcommand stands behind a bar.
constexpr std::array about_the_server{"scan 0",           "dbsize",           "info",        "time",       "ping",
                                      "client|kill id 1", "client|setname n", "client|list", "client|info"};

std::vector<std::string> words_of(std::string_view text, std::string_view key = {}) {
    std::vector<std::string> words;
    while (!text.empty()) {
        auto const end = std::min(text.find_first_of(words.empty() ? " |" : " "), text.size());
        auto const word = text.substr(0, end);
        words.emplace_back(word == "K" ? key : word);
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

std::string command_in(std::string_view text) {
    return "+" + std::string(text.substr(0, text.find(' ')));
}

bool is_of_messages(std::string_view command) {
    return command.ends_with("publish") || command.ends_with("subscribe");
}

/// A key or a channel that a name gives, and the pattern of all of them.
struct sample {
    std::string text;
    std::string pattern;
};

/// Of names that begin with `prefix`, and of no others; the derived names are those of protocol section 0.2.
struct samples {
    explicit samples(std::string_view prefix)
        : name(std::string(prefix) + "redlatch"), all(locking::literal(prefix) + "*"), any_name(prefix.empty()) {
        add_key([](std::string const& base_name) { return base_name; });
        add_key([](std::string const& base_name) { return locking::fair::queue_of(base_name); });
        add_key([](std::string const& base_name) { return locking::fair::timeouts_of(base_name); });
        add_key([](std::string const& base_name) { return locking::token_counter(base_name); });
        add_key([&](std::string const& base_name) {
            return locking::request_record(base_name, base_name == name ? "id" : "*");
        });
        // What keeps read holds alive, and the leases of permits.
        if (prefix.find('{') == std::string_view::npos)
            add_key([&](std::string const& base_name) {
                return locking::read_hold_prefix(base_name) + (base_name == name ? "id" : "*");
            });
        add_channel(locking::lock_channel);
        add_channel(locking::read_write::channel_of);
        add_channel(locking::semaphore::channel_of);
        add_channel(locking::latch::channel_of);
    }

    template <class Derive> void add_key(Derive derive) {
        keys.push_back({derive(name), any_name ? "~*" : "~" + derive(all)});
    }
    /// Whatever follows the name: that of a waiter for a fair lock has its id there.
    template <class Derive> void add_channel(Derive derive) {
        auto pattern = derive(all);
        pattern.erase(pattern.rfind('*') + 1);
        if (any_name) std::erase(pattern, '{');
        channels.push_back({derive(name), "&" + pattern});
    }

    std::string const name;
    std::string const all;
    bool const any_name;
    std::vector<sample> keys{};
    std::vector<sample> channels{};
};

} // namespace

rights_question::rights_question(std::string_view name_prefix, rights_arrangement const& among) {
    samples const known(name_prefix);
    auto const ask_about = [&](std::span<char const* const> commands, std::vector<sample> const& targets) {
        for (auto const* const text : commands)
            for (auto const& one : targets) ask(words_of(text, one.text), command_in(text), one.pattern);
    };
    ask_about(about_keys, known.keys);
    auto const ask_alone = [&](std::string_view text) { ask(words_of(text), command_in(text)); };
    std::span<char const* const> const of_messages =
        among.sharded ? std::span<char const* const>(about_channels_of_shards) : about_channels;
    ask_about(of_messages, known.channels);
    for (std::string_view const text : of_messages) ask_alone(text.substr(0, text.find(' ')));
    for (auto const* const text : about_the_server) ask_alone(text);
    ask_alone(among.sharded ? "pubsub|shardnumsub" : "pubsub|numsub");
    if (among.of_cluster) {
        ask_alone("cluster|nodes");
        ask_alone("asking");
    }
    if (among.asks_for_roles) ask_alone("role");
}

void rights_question::ask(std::vector<std::string> words, std::string const& command, std::string const& pattern) {
    questions_.push_back({std::move(words), command, pattern});
}

std::string rights_question::command() const {
    std::vector<std::string> numbers;
    numbers.reserve(questions_.size()); // what follows points into it
    std::vector<std::string_view> all{"EVAL", locking::scripts::allowed_commands.text, "0"};
    for (auto const& one : questions_) {
        numbers.push_back(std::to_string(one.words.size()));
        all.push_back(numbers.back());
        all.insert(all.end(), one.words.begin(), one.words.end());
    }
    std::string bytes;
    resp::append_command(bytes, all);
    return bytes;
}

/// Whoever runs this may run EVAL: where that is refused with a key, it is for want of the key. A command that is allowed with
/// any key is allowed; without any key that is, nothing is known of those about keys. Those about channels are also asked about
/// without one, which says whether the command is allowed: then it is for want of the channel that it is refused with one.
/// Where neither PUBLISH nor SUBSCRIBE is allowed, nothing is known of channels. (UNSUBSCRIBE asks for none.)
std::optional<rights_question::answer> rights_question::read(resp::value const& reply) const {
    if (!reply.is_text() || reply.text.size() != questions_.size()
        || reply.text.find_first_not_of("01?") != std::string::npos)
        return std::nullopt;
    std::set<std::string> allowed;
    std::set<std::string> unknown;
    bool any_key = false;
    bool tells_of_channels = false;
    for (std::size_t at = 0; at < questions_.size(); ++at) {
        auto const& one = questions_[at];
        bool const of_messages = is_of_messages(one.command);
        // A server that wants all words of a command would call one without its channel unknown.
        if (reply.text[at] == '?' && (!of_messages || one.is_about_channel())) unknown.insert(one.command);
        if (reply.text[at] != '1') continue;
        allowed.insert(one.command);
        bool const asks_for_channels = of_messages && !one.command.ends_with("unsubscribe");
        tells_of_channels = tells_of_channels || asks_for_channels;
        bool const tells_of_pattern = one.is_about_key() ? one.command == "+eval" : asks_for_channels;
        if (!tells_of_pattern) continue;
        allowed.insert(one.pattern);
        any_key = any_key || one.is_about_key();
    }
    answer said{.complete = any_key && tells_of_channels};
    auto const note = [&](std::string const& word) {
        if (word.empty() || allowed.contains(word)) return;
        bool const unknown_command = unknown.contains(word);
        auto& all = unknown_command ? said.unknown : said.missing;
        auto const shown = unknown_command ? word.substr(1) : word;
        if (std::find(all.begin(), all.end(), shown) == all.end()) all.push_back(shown);
    };
    for (auto const& one : questions_)
        if (!one.is_about_channel() || tells_of_channels) note(one.pattern);
    for (auto const& one : questions_)
        if (any_key || !one.is_about_key() || unknown.contains(one.command)) note(one.command);
    return said;
}

} // namespace redlatch::detail
