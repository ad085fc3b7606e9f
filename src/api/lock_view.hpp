// What the server says of locks.
#pragma once

#include "api/access.hpp"
#include "connection/holder_label.hpp"
#include "io/query.hpp"

#include <redlatch/lock_info.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace redlatch::detail {

/// What is asked about one lock: commands that read, so that no other right is needed. They stand in one write, which servers
/// execute without a pause between its commands.
inline constexpr std::size_t questions_of_a_look = 7;
void append_look(std::vector<std::string>& commands, std::string const& name);
/// And once, behind the looks: the server's clock, by which waiters are passed over.
std::string ask_for_time();
/// Of the answers to them. `parts`: only what is held of these, of a lock that is parts of its key. Throws error: wrong_type,
/// server_refused, bad_reply.
lock_info to_info(io::client_core& core, std::string const& name, std::span<resp::value const> answers,
                  resp::value const& time, std::span<std::string const> parts = {});
/// Somebody holds it, or is queued for it; for listings, where any hash may have answered.
bool looks_like_lock(lock_info const& info);

/// Who is connected, and what the labels of the holders are in the answer.
std::string ask_for_labels();
/// Answer to ask_for_labels().
connection::holder_labels labels_of(io::node& server, resp::value const& answer);
void add_labels(std::span<lock_info> locks, connection::holder_labels const& labels);

locking::wire_call force_release_call(lock_impl const& impl);
/// Local holds of a lock that was force-released, by a call that was made then, are lost. True: there was one.
bool after_force_release(lock_impl const& impl, io::query const& done, lease_clock::time_point asked_at);

} // namespace redlatch::detail
