// Any bytes as what a Sentinel answers and publishes, and what a server says of its role: addresses that can be dialled, or
// nothing.
#include "check.hpp"
#include "connection/role_reply.hpp"
#include "connection/sentinel_replies.hpp"
#include "resp/reader.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace redlatch::fuzz {
namespace {

void expect_address(connection::host_and_port const& where) {
    check(where.port != 0 && !where.host.empty(), "a server can be dialled");
    check(where.host.size() <= 253, "a host is no longer than DNS allows");
    for (char const byte : where.host) check(byte > ' ' && byte < 127, "a host has no control characters");
}

void read_answer(std::vector<resp::value> const& replies) {
    using kind = connection::sentinel_answer::kind;
    auto const answer = connection::read_sentinel_answer(replies);
    if (answer.what != kind::known) {
        check(answer.what != kind::refused || !answer.problem.empty(), "a refusal has a reason");
        return;
    }
    expect_address(answer.master);
    check(answer.others.size() <= 64, "a Sentinel names no more others than there can be");
    for (auto const& one : answer.others) expect_address(one);
    check(!answer.sentinels || *answer.sentinels > 0, "the one that answers counts");
    check(!answer.quorum || *answer.quorum >= 0, "a quorum is no debt");
}

} // namespace
} // namespace redlatch::fuzz

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    using namespace redlatch;
    std::string_view const text(reinterpret_cast<char const*>(data), size);
    resp::reader reader;
    reader.feed(text);
    std::vector<resp::value> replies;
    for (resp::value one; replies.size() < connection::sentinel_replies;) {
        if (reader.next(one) != resp::reader::result::value) break;
        static_cast<void>(connection::read_role(one));
        static_cast<void>(connection::replicas_in_step(one));
        static_cast<void>(connection::master_of(one));
        replies.push_back(std::move(one));
    }
    replies.resize(connection::sentinel_replies);
    fuzz::read_answer(replies);
    fuzz::check(!connection::is_about(text.substr(0, 3), "orders"), "a message names its master as a whole");
    static_cast<void>(connection::is_about(text, "orders"));
    return 0;
}
