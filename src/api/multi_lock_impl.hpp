// What stands behind a multi_lock and a red_lock.
#pragma once

#include "api/access.hpp"
#include "io/client_core.hpp"

#include <redlatch/basic_lock.hpp>
#include <redlatch/multi_hold.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace redlatch::detail {

/// Two kinds of pointers keep it: holds and acquisitions have for_holds(); the public object and its copies have another one,
/// and when the last of these goes, what lock() has taken is released. With one kind a hold in `taken` would keep itself.
struct multi_lock_impl : std::enable_shared_from_this<multi_lock_impl> {
    std::string_view kind; ///< "multi lock" or "red lock": for messages
    std::vector<basic_lock> members;
    std::size_t needed = 0;
    /// Indexes of members in the order in which they are waited for while others are held; empty: there is none.
    std::vector<std::size_t> waiting_order;

    std::mutex mutex{};                               // guards what follows
    std::multimap<std::uint64_t, multi_hold> taken{}; ///< by lock(), of each thread; the latest is the last

    std::shared_ptr<multi_lock_impl const> for_holds() const { return shared_from_this(); }
    io::client_core& core_of(std::size_t member) const { return *lock_access::impl(members[member])->core; }
    /// Of the first member.
    std::shared_ptr<io::client_core> const& home() const { return lock_access::impl(members.front())->core; }
    /// Whose reactor waits for all members: the first client that is open; the first one where none is.
    std::shared_ptr<io::client_core> const& carrier() const;
    /// Until when members have answered that do not wait.
    base::instant time_for_answers() const;
    /// How long a member may take beyond the end of its wait: for its replicas.
    duration time_for_replicas() const;
    /// A majority is enough.
    bool by_majority() const noexcept { return needed < members.size(); }
    /// Another member, of another client, has the same name.
    bool name_is_shared(std::size_t member) const;
    /// "multi lock of 'a', 'b'"
    std::string shown() const;
    /// Why no call is possible here at all; zero: it is. The wrong thread, for one that blocks.
    std::error_code refusal(bool blocking) const;
};

/// For the public object. Throws error(invalid_argument) unless there are members and all are locks.
std::shared_ptr<multi_lock_impl> make_multi_lock(std::string_view kind, std::vector<basic_lock> members);

} // namespace redlatch::detail
