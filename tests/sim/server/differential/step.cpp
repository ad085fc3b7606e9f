#include "sim/server/differential/step.hpp"

#include "locking/script.hpp"
#include "sim/server/differential/java_scripts.hpp"

#include <string_view>

namespace redlatch::sim {
namespace {

// Scripts by their names.
std::string shown_word(std::string_view word) {
    using namespace locking::scripts;
    for (auto const* script : all) {
        if (word == script->text || word == script->sha1) return std::string(script->name);
    }
    if (word == java_acquire) return "java_acquire";
    if (word == java_unlock) return "java_unlock";
    if (word == java_force_unlock) return "java_force_unlock";
    if (word == java_renew) return "java_renew";
    return '"' + shown(word) + '"';
}

} // namespace

std::string shown(std::string_view bytes) {
    std::string text;
    for (char const byte : bytes) {
        auto const number = static_cast<unsigned char>(byte);
        if (byte == '\r') {
            text += "\\r";
        } else if (byte == '\n') {
            text += "\\n";
        } else if (number < ' ' || number > '~') {
            text.append("\\x").append(1, "0123456789abcdef"[number >> 4]).append(1, "0123456789abcdef"[number & 15]);
        } else {
            text += byte;
        }
    }
    return text;
}

std::string shown(step const& one) {
    std::string const who = "client " + std::to_string(one.client);
    switch (one.what) {
    case step::kind::disconnect: return who + " disconnects";
    case step::kind::read_only: return one.on ? "becomes read-only" : "takes writes again";
    case step::kind::out_of_memory: return one.on ? "runs out of memory" : "has memory again";
    case step::kind::refuse: {
        std::string text = "refuses:";
        for (auto const& name : one.refused) text += " " + name;
        return text;
    }
    case step::kind::commands: break;
    }
    std::string text = who + ":";
    for (auto const& command : one.commands) {
        text += text.back() == ':' ? "" : " |";
        for (auto const& word : command) text += " " + shown_word(word);
    }
    return text;
}

} // namespace redlatch::sim
