// Redis as the resource: a script compares and writes, and nothing comes between the two.
//
//     fencing_redis SOCKET LINE [--unchecked]      # the line goes to the hash "page" of the server on that Unix socket
//
// The resource may be another server than the lock's; here one does for both. With --unchecked the writer does not compare, so
// that one can see what goes wrong without.
#include "late_writer.hpp"

#include <hiredis/hiredis.h>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace {

// Lua's numbers are exact up to 2^53: more tokens than any lock will give.
constexpr char const* write_unless_stale = R"(
    local greatest = tonumber(redis.call('HGET', KEYS[1], 'token') or '0')
    if tonumber(ARGV[1]) < greatest then return 0 end
    redis.call('HSET', KEYS[1], 'line', ARGV[2], 'token', ARGV[1])
    return 1)";

using connection = std::unique_ptr<redisContext, decltype(&redisFree)>;

long long integer_of(redisContext* server, void* answer) {
    auto const* const reply = static_cast<redisReply*>(answer);
    if (reply == nullptr) throw std::runtime_error(server->errstr);
    std::unique_ptr<void, decltype(&freeReplyObject)> const owned(answer, &freeReplyObject);
    if (reply->type == REDIS_REPLY_ERROR) throw std::runtime_error(reply->str);
    return reply->integer;
}

} // namespace

int main(int count, char** words) {
    if (count < 3) {
        std::cerr << "usage: fencing_redis SOCKET LINE [--unchecked]\n";
        return 64;
    }
    std::string const socket = words[1];
    char const* const line = words[2];
    bool const checked = count < 4 || std::string_view(words[3]) != "--unchecked";
    connection const server(redisConnectUnix(socket.c_str()), &redisFree);
    if (!server || server->err != 0) {
        std::cerr << "cannot reach the Redis server on " << socket << '\n';
        return 69;
    }
    write_late("unix://" + socket, [&](std::uint64_t token) {
        auto const text = std::to_string(token);
        if (checked) {
            void* const answer =
                redisCommand(server.get(), "EVAL %s 1 page %s %s", write_unless_stale, text.c_str(), line);
            return integer_of(server.get(), answer) == 1;
        }
        integer_of(server.get(), redisCommand(server.get(), "HSET page line %s token %s", line, text.c_str()));
        return true;
    });
}
