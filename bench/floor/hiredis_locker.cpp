#include "floor/hiredis_locker.hpp"

#include <hiredis/hiredis.h>
#include <stdexcept>
#include <utility>

namespace redlatch::bench {

namespace {

void append(redisContext* context, command_words const& words) {
    char const* texts[8];
    std::size_t sizes[8];
    for (std::size_t at = 0; at < words.size(); ++at) {
        texts[at] = words[at].data();
        sizes[at] = words[at].size();
    }
    redisAppendCommandArgv(context, static_cast<int>(words.size()), texts, sizes);
}

/// The reply's type and number, for replies that have no more than that.
std::pair<int, long long> next_reply(redisContext* context) {
    void* found = nullptr;
    if (redisGetReply(context, &found) != REDIS_OK)
        throw std::runtime_error(std::string("hiredis: ") + context->errstr);
    auto* const reply = static_cast<redisReply*>(found);
    std::pair<int, long long> const result{reply->type, reply->integer};
    std::string const problem = reply->type == REDIS_REPLY_ERROR ? reply->str : "";
    freeReplyObject(reply);
    if (!problem.empty()) throw std::runtime_error("the server says " + problem);
    return result;
}

} // namespace

void hiredis_locker::closer::operator()(redisContext* context) const noexcept {
    redisFree(context);
}

hiredis_locker::hiredis_locker(address const& where, form which, std::string const& name, std::string const& owner)
    : context_(where.is_unix() ? redisConnectUnix(where.path.c_str()) : redisConnect("127.0.0.1", where.port)),
      requests_(which, name, owner) {
    if (!context_ || context_->err != 0) throw std::runtime_error("hiredis cannot connect to " + where.uri());
    if (which == form::plain) return;
    for (auto const& each : script_loads()) {
        append(context_.get(), each);
        next_reply(context_.get());
    }
}

void hiredis_locker::acquire() {
    append(context_.get(), requests_.acquire);
    auto const [type, number] = next_reply(context_.get()); // RESTORE answers an error where the lock is held
    if (type == REDIS_REPLY_INTEGER)
        throw std::runtime_error("the lock is held, for " + std::to_string(number) + " ms");
}

void hiredis_locker::release() {
    for (auto const& each : requests_.release) append(context_.get(), each);
    for (std::size_t reply = 0; reply < requests_.release.size(); ++reply) {
        auto const answer = next_reply(context_.get()).second;
        if (reply == 0 && answer < 1) throw std::runtime_error("the lock was not ours any more");
    }
}

} // namespace redlatch::bench
