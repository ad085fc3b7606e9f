#include "sim/server/differential/generator.hpp"

#include "locking/script.hpp"
#include "sim/server/differential/chance.hpp"
#include "sim/server/differential/java_scripts.hpp"
#include "sim/server/differential/payloads.hpp"
#include "sim/server/differential/script_shapes.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace redlatch::sim {
namespace {

// No two leases of a sequence are the same, and all are far apart: which of two ends first does not depend on how long a step
// takes. Those of a literal number lie between.
constexpr std::size_t shortest_lease_ms = 100'000;
constexpr std::size_t lease_step_ms = 10'000;
constexpr std::size_t different_leases = 1'009; // a prime: the steps through them meet each

class sequence_maker {
public:
    sequence_maker(std::uint64_t seed, leases which) : chance_(seed), leases_(which) {
        lease_ = chance_.below(different_leases);
        stride_ = 1 + chance_.below(different_leases - 1);
        family_ = chance_.any(script_families());
    }

    std::vector<step> make() {
        std::vector<step> result;
        for (auto left = 5 + chance_.below(60); left > 0; --left) result.push_back(any_step());
        return result;
    }

private:
    step any_step() {
        step one;
        one.client = chance_.below(clients_of_a_sequence);
        switch (chance_.below(40)) {
        case 0: one.what = step::kind::disconnect; return one;
        case 1:
            one.what = step::kind::refuse;
            while (chance_.one_in(2)) one.refused.insert(a_right());
            return one;
        case 2:
            one.what = chance_.one_in(2) ? step::kind::read_only : step::kind::out_of_memory;
            one.on = chance_.one_in(3); // mostly off, or little else happens
            return one;
        default: break;
        }
        do {
            one.commands.push_back(a_command());
            if (one.commands.back().front() == "HDEL" && chance_.one_in(2)) one.commands.push_back(a_message());
        } while (chance_.one_in(6));
        return one;
    }

    word_list a_command() {
        switch (chance_.below(18)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: return a_script_call();
        case 16:
        case 17: return a_restore();
        case 5: return a_java_call();
        case 6:
        case 7: return chance_.one_in(3) ? a_queue_command() : a_hash_command();
        case 8: return a_string_command();
        case 9:
        case 10: return an_expiry_command();
        case 11: return a_key_command();
        case 12:
        case 13: return a_message_command();
        case 14: return a_connection_command();
        default: return an_odd_command();
        }
    }

    std::string key() {
        if (leases_ == leases::short_ones) return "a";
        return chance_.of({"a", "b", "c", "{x}:y", ""});
    }
    std::string owner() { return chance_.of({"71b96ce8:1", "71b96ce8:2", "0d0c2a7c:1"}); }
    std::string channel() { return chance_.of({"redisson_lock__channel:{a}", "redisson_lock__channel:{b}", "ch"}); }
    std::string lease() {
        if (leases_ == leases::short_ones) return chance_.of({"1", "2", "600", "999", "1000", "3000"});
        lease_ = (lease_ + stride_) % different_leases;
        return std::to_string(shortest_lease_ms + lease_ * lease_step_ms);
    }
    std::string number() {
        return chance_.of({"0", "1", "2", "-1", "9223372036854775807", "-9223372036854775808", "x", "", "1.5", " 1"});
    }
    // Never a lease so short that it may end before the sequence does.
    std::string odd_number() {
        return chance_.of({"0", "-1", "9223372036854775807", "-9223372036854775808", "x", "", "1.5", " 1", "905000"});
    }
    std::string some_client(char const* what) {
        return std::string("<") + what + " " + std::to_string(chance_.below(clients_of_a_sequence)) + ">";
    }
    std::string a_right() {
        return chance_.of({"publish",     "pexpire", "hset",    "hdel",       "hexists",     "pttl",
                           "del",         "evalsha", "eval",    "client",     "client|kill", "client|id",
                           "script|load", "script",  "restore", "@dangerous", "subscribe",   "unsubscribe",
                           "ping",        "get",     "set",     "info",       "hlen"});
    }
    std::string publish_word() { return chance_.one_in(8) ? chance_.of({"publish", "NOSUCH", "get"}) : "PUBLISH"; }

    struct script_words {
        word_list keys;
        word_list arguments;
    };

    /// Mostly of the kind that this sequence is about.
    word_list a_script_call() {
        auto const& shape = chance_.any(chance_.one_in(4) ? chance_.any(script_families()) : family_);
        script_words words;
        fill(words.keys, shape.keys);
        fill(words.arguments, shape.arguments);
        for (auto left = shape.each_key.empty() ? 0 : chance_.below(4); left > 0; --left) {
            fill(words.keys, shape.each_key);
            fill(words.arguments, shape.each_arguments);
        }
        return called(*shape.which, words);
    }

    void fill(word_list& words, std::string_view letters) {
        bool may_end = false;
        for (char const letter : letters) {
            may_end = may_end || letter == '?';
            if (may_end && chance_.one_in(3)) return;
            if (letter != '?') words.push_back(word(letter));
        }
    }

    std::string word(char letter) {
        switch (letter) {
        case 'k': return key();
        case 'q': return "fair:q";
        case 'z': return "fair:z";
        case 't': return "counter";
        case 'h': return "{a}:";
        case 'e': return "permits:z";
        case 'r': return chance_.of({"record:1", "record:2"});
        case 'g': return std::string(group_of_values);
        case 'l': return lease();
        case 'L': return chance_.one_in(3) ? "0" : lease();
        case 'E': return chance_.one_in(2) ? "" : lease();
        case 'o': return owner();
        case 'O': return chance_.one_in(8) ? "" : owner();
        case 'w': return owner() + ":write";
        case 'W': return chance_.one_in(2) ? "" : owner() + ":write";
        case 'x': return owner() + chance_.of({"", ":write"});
        case 'p': return publish_word();
        case 'c': return channel();
        case 's': return chance_.of({"numsub", "shardnumsub"});
        case 'n': return chance_.of({"1", "2", "3"});
        case 'a': return chance_.one_in(8) ? number() : chance_.of({"1", "2", "5"});
        case 'b': return chance_.of({"0", "1"});
        case 'm': return chance_.of({"0", "00", "1"});
        case 'M': return chance_.of({"read", "write"});
        case 'd': return "300000";
        case 'R': return "700000";
        case 'i': return chance_.of({"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"});
        case 'f': return chance_.of({"here", "there"});
        case '2': return "2";
        default: throw std::logic_error(std::string("no word for the letter ") + letter);
        }
    }

    word_list called(locking::script const& which, script_words const& words) {
        return called(which.text, which.sha1, words);
    }

    word_list called(std::string_view text, std::string_view sha1, script_words words) {
        auto& [keys, arguments] = words;
        if (chance_.one_in(20) && !arguments.empty()) arguments.pop_back();
        if (chance_.one_in(20)) arguments.push_back(odd_number());
        bool const by_sha = !sha1.empty() && !chance_.one_in(3);
        word_list result{by_sha ? "EVALSHA" : "EVAL", std::string(by_sha ? sha1 : text), std::to_string(keys.size())};
        if (chance_.one_in(40)) result[2] = chance_.one_in(2) ? odd_number() : "1";
        result.insert(result.end(), keys.begin(), keys.end());
        result.insert(result.end(), arguments.begin(), arguments.end());
        return result;
    }

    word_list a_java_call() {
        switch (chance_.below(4)) {
        case 0:
            return called(java_acquire, {}, {{key()}, {lease(), owner()}}); // in braces words are drawn in their order
        case 1:
            return called(java_unlock, {},
                          {{key(), channel(), chance_.of({"latch:1", "latch:2"})},
                           {"0", lease(), owner(), publish_word(), lease()}});
        case 2: return called(java_force_unlock, {}, {{key(), channel()}, {"0", publish_word()}});
        default: return called(java_renew, {}, {{key(), key()}, {lease(), owner(), owner()}});
        }
    }

    word_list a_hash_command() {
        std::string const name = key();
        switch (chance_.below(11)) {
        case 0: return {"HSET", name, owner(), "1"};
        case 1: return {"HSET", name, owner(), "1", owner(), number()};
        case 2: return {"HINCRBY", name, owner(), number()};
        case 3: return {"HGETALL", name};
        case 4: return {"HDEL", name, owner(), owner()};
        case 5: return {"HEXISTS", name, owner()};
        case 6: return {"HLEN", name};
        case 7: return {"HGET", name, owner()};
        case 8: return {"HSETNX", name, owner(), "2"};
        case 9: return {chance_.of({"HKEYS", "HVALS"}), name};
        default: return {"HDEL", name, owner()};
        }
    }

    // Of lists and sorted sets.
    word_list a_queue_command() {
        std::string const name = chance_.of({"q", "q", "z", "z", "a"});
        auto const place = [&] { return chance_.of({"0", "1", "-1", "-3", "7", "x"}); };
        auto const bound = [&] { return chance_.of({"-inf", "+inf", "(1", "0", "(-1", "4000000000000", "x", ""}); };
        switch (chance_.below(16)) {
        case 0: return {"RPUSH", name, owner()};
        case 1: return {"RPUSH", name, owner(), owner()};
        case 2: return {"LPOP", name};
        case 3: return {"LINDEX", name, place()};
        case 4: return {"LRANGE", name, place(), place()};
        case 5: return {"LREM", name, place(), owner()};
        case 6: return {"ZADD", name, number(), owner()};
        case 7: return {"ZINCRBY", name, chance_.of({"-3", "4000000000000", "0.5", "x"}), owner()};
        case 8: return {"ZRANGE", name, place(), place()};
        case 9: return {"ZSCORE", name, owner()};
        case 10: return {"ZREM", name, owner(), owner()};
        case 11: return {"LPOS", name, owner()};
        case 12: return {"ZCOUNT", name, bound(), bound()};
        case 13: return {"ZRANGEBYSCORE", name, bound(), bound()};
        case 14: return {"ZRANGEBYSCORE", name, bound(), bound(), "WITHSCORES", "LIMIT", place(), place()};
        default: return {chance_.of({"LLEN", "ZCARD"}), name};
        }
    }

    word_list a_string_command() {
        std::string const name = key();
        switch (chance_.below(7)) {
        case 0: return {"GET", name};
        case 1: return {"SET", name, number()};
        case 2: return {"SET", name, "x", "PX", chance_.one_in(4) ? odd_number() : lease()};
        case 3: return {"SET", name, "y", "PXAT", chance_.of({"1", "1000", "4000000000000", "4100000000000"})};
        case 4: return {chance_.of({"INCR", "DECR"}), name};
        case 5: return {chance_.of({"INCRBY", "DECRBY"}), name, number()};
        default: {
            word_list result{"SET", name, "z"};
            while (chance_.one_in(2)) result.push_back(chance_.of({"NX", "XX", "GET", "KEEPTTL", "EX", "403"}));
            return result;
        }
        }
    }

    word_list an_expiry_command() {
        std::string const name = key();
        switch (chance_.below(10)) {
        case 0: return {"PTTL", name};
        case 1: return {"TTL", name};
        case 2: return {"PEXPIRE", name, lease()};
        case 3: return {"PEXPIRE", name, chance_.of({"0", "-1", "-9223372036854775808", "9223372036854775807", "x"})};
        case 4: return {"PEXPIREAT", name, chance_.of({"1", "0", "-5", "4000000000000", "4100000000000"})};
        case 5: return {"PEXPIREAT", name, chance_.of({"4000000000000", "4050000000000"}), chance_.of({"GT", "LT"})};
        case 6: return {"PEXPIRE", name, lease(), chance_.of({"NX", "XX", "nx", "FOO"})};
        case 7: return {"PERSIST", name};
        case 8: return {"EXPIRE", name, chance_.of({"107", "214", "0", "9223372036854775"})};
        default: return {"PEXPIRE", name, lease(), chance_.of({"NX", "XX", "GT"}), chance_.of({"XX", "LT", "NX"})};
        }
    }

    word_list a_key_command() {
        switch (chance_.below(8)) {
        case 0: return {"EXISTS", key(), key()};
        case 1: return {"TYPE", key()};
        case 2: return {"DEL", key()};
        case 3: return {chance_.of({"DEL", "UNLINK"}), key(), key()};
        case 4: return {"KEYS", chance_.of({"*", "?", "[ab]", "[^a]", "{x}*", "\\a"})};
        case 5: return {"SCAN", "0", "COUNT", "1000", "MATCH", chance_.of({"*", "?", "[a-b]"})};
        case 6: return {"SCAN", "0", "TYPE", chance_.of({"hash", "string", "STRING", "list"}), "COUNT", "1000"};
        default: return {chance_.of({"FLUSHALL", "FLUSHDB"})};
        }
    }

    // The first hold of a lock, as it is taken without a script.
    word_list a_restore() {
        auto const owned = owner();
        word_list result{"RESTORE", key(), chance_.one_in(8) ? odd_number() : lease(), a_payload(chance_, owned)};
        if (chance_.one_in(3)) result.emplace_back("REPLACE");
        while (chance_.one_in(6))
            result.push_back(chance_.of({"REPLACE", "ABSTTL", "IDLETIME", "FREQ", "1", "256", "x"}));
        return result;
    }

    // Behind an HDEL: a release without a script.
    word_list a_message() { return {"PUBLISH", channel(), "0"}; }

    word_list a_message_command() {
        switch (chance_.below(9)) {
        case 0:
        case 1: return a_message();
        case 2:
        case 3: return {"SUBSCRIBE", channel()};
        case 4: return {"SUBSCRIBE", channel(), channel()};
        case 5: return {"UNSUBSCRIBE", channel()};
        case 6: return {"UNSUBSCRIBE"};
        case 7: return {chance_.of({"PSUBSCRIBE", "PUNSUBSCRIBE"}), chance_.of({"redisson*", "ch"})};
        default: return {"PUNSUBSCRIBE"};
        }
    }

    word_list a_connection_command() {
        switch (chance_.below(18)) {
        case 0: return {"PING"};
        case 1: return {"PING", "x"};
        case 2: return {"CLIENT", "ID"};
        case 3: return {"CLIENT", "SETNAME", chance_.of({"redlatch", "a b", ""})};
        case 4: return {"CLIENT", "GETNAME"};
        case 5: return {"CLIENT", "INFO"};
        case 6: return {"CLIENT", "LIST"};
        case 7: return {"CLIENT", "KILL", "ID", some_client("id"), "ADDR", some_client("addr")};
        case 8: return {"CLIENT", "KILL", "ID", some_client("id")};
        case 9: return {"CLIENT", "KILL", chance_.one_in(2) ? some_client("addr") : std::string("127.0.0.1:1")};
        case 10: return {"CLIENT", "KILL", "ADDR", some_client("addr"), "SKIPME", chance_.of({"yes", "no", "perhaps"})};
        case 11: return {"SELECT", chance_.of({"0", "0", "1", "15", "16", "-1", "x"})};
        case 12: return {"INFO", chance_.of({"server", "replication", "nosuch"})};
        case 13: return {"AUTH", chance_.of({"default", "admin", "nobody"}), chance_.of({"secret", "wrong"})};
        case 14: return {"SCRIPT", chance_.of({"FLUSH", "EXISTS"})};
        case 15: return {"SCRIPT", "EXISTS", std::string(locking::scripts::lock_acquire.sha1), "nosuch"};
        case 16:
            return {"SCRIPT", "LOAD", std::string(chance_.one_in(4) ? "x x" : locking::scripts::lock_acquire.text)};
        default: return {chance_.of({"RESET", "QUIT", "HELLO", "ECHO", "AUTH"})};
        }
    }

    // Any word as a command, any number of words.
    word_list an_odd_command() {
        word_list result{
            chance_.of({"nosuch", "GET", "get", "HSET", "PEXPIRE", "EVAL", "EVALSHA", "CLIENT", "SCRIPT", "DEL",
                        "PUBLISH", "RESTORE", "SUBSCRIBE", "SCAN", "SELECT", "HELLO", "INFO", "SET", "client|id"})};
        for (auto left = chance_.below(5); left > 0; --left) {
            switch (chance_.below(4)) {
            case 0: result.push_back(key()); break;
            case 1: result.push_back(odd_number()); break;
            case 2: result.push_back(chance_.of({"KILL", "LOAD", "ID", "return 1", "nosuch"})); break;
            default: result.push_back(std::string("a\r\nb\0c", 6));
            }
        }
        return result;
    }

    chance chance_;
    leases leases_;
    std::size_t lease_ = 0;
    std::size_t stride_ = 1;
    script_family family_{};
};

} // namespace

std::vector<step> random_sequence(std::uint64_t seed, leases which) {
    return sequence_maker(seed, which).make();
}

} // namespace redlatch::sim
