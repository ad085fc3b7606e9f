#include "floor/hiredis_locker.hpp"

#include "floor/raw_locker.hpp"

#include <floor_scripts.h>
#include <hiredis/hiredis.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace redlatch::bench {

namespace {

/// The reply's type and number, for replies that have no more than that.
std::pair<int, long long> ask(redisContext* context, std::initializer_list<std::string_view> arguments) {
    char const* texts[8];
    std::size_t sizes[8];
    std::size_t count = 0;
    for (auto const argument : arguments) {
        texts[count] = argument.data();
        sizes[count++] = argument.size();
    }
    auto* const reply =
        static_cast<redisReply*>(redisCommandArgv(context, static_cast<int>(count), texts, sizes)); // NOLINT
    if (reply == nullptr) throw std::runtime_error(std::string("hiredis: ") + context->errstr);
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

hiredis_locker::hiredis_locker(address const& where, std::string name, std::string owner)
    : context_(where.is_unix() ? redisConnectUnix(where.path.c_str()) : redisConnect("127.0.0.1", where.port)),
      name_(std::move(name)), channel_(raw_locker::channel_of(name_)), owner_(std::move(owner)) {
    if (!context_ || context_->err != 0) throw std::runtime_error("hiredis cannot connect to " + where.uri());
    ask(context_.get(), {"SCRIPT", "LOAD", lock_acquire_text});
    ask(context_.get(), {"SCRIPT", "LOAD", lock_release_text});
}

void hiredis_locker::acquire() {
    auto const [type, number] = ask(context_.get(), {"EVALSHA", lock_acquire_sha1, "1", name_, "30000", owner_});
    if (type != REDIS_REPLY_NIL) throw std::runtime_error("the lock is held, for " + std::to_string(number) + " ms");
}

void hiredis_locker::release() {
    ask(context_.get(), {"EVALSHA", lock_release_sha1, "2", name_, channel_, owner_, "PUBLISH"});
}

} // namespace redlatch::bench
