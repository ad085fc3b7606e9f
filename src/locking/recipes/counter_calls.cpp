#include "locking/recipes/counter_calls.hpp"

#include "locking/recipes/permits.hpp"

#include <array>
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

std::vector<std::string_view> each_id(std::string_view ids) {
    std::vector<std::string_view> out;
    for (; !ids.empty(); ids.remove_prefix(taken_id_size)) out.push_back(ids.substr(0, taken_id_size));
    return out;
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

namespace redlatch::locking {

wire_call counter_mark(counter_request const& taken) {
    auto const timeouts = taken.ids.empty() ? std::string() : permits::timeouts_of(taken.name);
    std::array<std::string_view, 2> const keys{taken.name, taken.ids.empty() ? taken.record : timeouts};
    return script_call(scripts::counter_mark, keys, counter_calls::each_id(taken.ids));
}

count_reply read_counter_mark(resp::value const& reply) {
    if (!reply.is_integer() || reply.integer < 0 || reply.integer > 1) return {};
    return {reply.integer == 1 ? count_answer::written : count_answer::not_held};
}

} // namespace redlatch::locking
