// Any bytes: no crash, memory in proportion to what has arrived and never to what was announced, and the same replies
// and the same verdict however the stream is cut.
// Input: one byte for the limits, one for the size of the pieces (0: of changing sizes), then the stream.
#include "check.hpp"
#include "resp/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <sanitizer/allocator_interface.h>
#include <string>
#include <string_view>

namespace redlatch::fuzz {
namespace {

struct seen {
    std::string replies;
    bool broken = false;
};

// Unlike a text for people, this is different for any two different trees.
void write(std::string& out, resp::value const& reply) {
    out += static_cast<char>('a' + static_cast<int>(reply.type));
    out += std::to_string(reply.integer) + ' ' + std::to_string(reply.text.size()) + ' ' + reply.text;
    out += std::to_string(reply.items.size()) + ' ';
    for (auto const& item : reply.items) write(out, item);
}

seen read_whole(std::string_view stream, resp::limits const& bounds) {
    resp::reader reader(bounds);
    reader.feed(stream);
    seen all;
    resp::value reply;
    auto result = reader.next(reply);
    for (; result == resp::reader::result::value; result = reader.next(reply)) write(all.replies, reply);
    all.broken = result == resp::reader::result::broken;
    check(all.broken != reader.problem().empty(), "a refused stream has a problem, another one has none");
    return all;
}

seen read_pieces(std::string_view stream, std::size_t piece, resp::limits const& bounds) {
    resp::reader reader(bounds);
    seen all;
    std::size_t fed = 0;
    while (fed < stream.size() && !all.broken) {
        auto const size = piece != 0 ? piece : 1 + static_cast<unsigned char>(stream[fed]) % 23;
        auto const before = __sanitizer_get_current_allocated_bytes();
        reader.feed(stream.substr(fed, size));
        fed += size;
        resp::value reply;
        auto result = reader.next(reply);
        auto const after = __sanitizer_get_current_allocated_bytes();
        check(after <= before + 4'096 + 64 * fed, "memory is in proportion to the bytes that have come");
        for (; result == resp::reader::result::value; result = reader.next(reply)) write(all.replies, reply);
        all.broken = result == resp::reader::result::broken;
    }
    resp::value reply;
    check(!all.broken || reader.next(reply) == resp::reader::result::broken, "a broken reader stays broken");
    return all;
}

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace redlatch;
    if (size < 2) return 0;
    resp::limits bounds;
    if (data[0] % 2 == 1) bounds = {.bytes_per_reply = 16u * data[0], .items_per_reply = data[0]};
    std::string_view const stream(reinterpret_cast<char const*>(data) + 2, size - 2);

    auto const whole = fuzz::read_whole(stream, bounds);
    auto const pieces = fuzz::read_pieces(stream, data[1], bounds);
    fuzz::check(whole.replies == pieces.replies, "the same replies however the stream is cut");
    fuzz::check(whole.broken == pieces.broken, "the same verdict however the stream is cut");
    return 0;
}
