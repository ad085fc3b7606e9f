#include "locking/recipes/counter_calls.hpp"

#include <charconv>

namespace redlatch::locking::counter_calls {

wire_call with_record(script const& program, counter_request const& request, std::vector<std::string_view> keys,
                      std::vector<std::string_view> arguments) {
    auto const lifetime = std::to_string(record_lifetime.count());
    if (!request.record.empty()) {
        keys.push_back(request.record);
        arguments.emplace_back(lifetime);
    }
    return script_call(program, keys, arguments);
}

wire_call count(counter_request const& request) {
    return command_call("GET", request.name);
}

std::optional<std::int64_t> read_number(resp::value const& reply) {
    if (reply.is_nil()) return 0;
    if (reply.is_integer()) return reply.integer;
    std::int64_t number = 0;
    auto const* const end = reply.text.data() + reply.text.size();
    auto const [read, problem] = std::from_chars(reply.text.data(), end, number);
    if (!reply.is_text() || problem != std::errc() || read != end || reply.text.empty()) return std::nullopt;
    return number;
}

} // namespace redlatch::locking::counter_calls
