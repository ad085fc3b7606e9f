#include "api/multi_lock_impl.hpp"

#include "locking/names.hpp"

#include <redlatch/error.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace redlatch::detail {

namespace {

/// Names of more members would fill a screen.
constexpr std::size_t most_shown = 8;

/// What all copies of the public object share; what lock() has taken is released when the last of them goes.
struct shared_by_copies {
    std::shared_ptr<multi_lock_impl> group;

    explicit shared_by_copies(std::shared_ptr<multi_lock_impl> impl) noexcept : group(std::move(impl)) {}
    shared_by_copies(shared_by_copies const&) = delete;
    shared_by_copies& operator=(shared_by_copies const&) = delete;
    /// In the child of a fork a thread of the parent may have been changing it.
    ~shared_by_copies() {
        if (!group->refusal(false)) group->taken.clear();
    }
};

/// Two locks on one key can be held together if they are the same lock, or locks on values of one group. Otherwise the second
/// waits until the first is released. Whoever writes may read beside it, but not if it asks for both at the same time.
bool can_be_held_together(locking::lock_record const& one, locking::lock_record const& other) {
    bool const of_values = !one.parts().empty() && !other.parts().empty();
    return &one == &other || of_values;
}

/// A member that would wait for another one, which has the same client and name. Null: there is none.
basic_lock const* in_the_way_of_another(std::vector<basic_lock> const& members) {
    std::map<std::pair<io::client_core const*, std::string_view>, locking::lock_record const*> found;
    for (auto const& one : members) {
        auto const* const impl = lock_access::impl(one);
        auto const at = found.try_emplace({impl->core.get(), impl->record->name}, impl->record.get()).first;
        if (!can_be_held_together(*at->second, *impl->record)) return &one;
    }
    return nullptr;
}

} // namespace

bool multi_lock_impl::name_is_shared(std::size_t member) const {
    auto const& name = members[member].name();
    for (std::size_t i = 0; i < members.size(); ++i)
        if (members[i].name() == name && &core_of(i) != &core_of(member)) return true;
    return false;
}

std::string multi_lock_impl::shown() const {
    auto out = std::string(kind) + " of ";
    for (std::size_t i = 0; i < members.size() && i < most_shown; ++i)
        out += (i == 0 ? "" : ", ") + locking::shown(members[i].name());
    if (members.size() > most_shown) out += " and " + std::to_string(members.size() - most_shown) + " more";
    return out;
}

std::shared_ptr<io::client_core> const& multi_lock_impl::carrier() const {
    for (auto const& one : members)
        if (auto const& core = lock_access::impl(one)->core; !core->closed()) return core;
    return home();
}

base::instant multi_lock_impl::time_for_answers() const {
    duration longest{0};
    for (std::size_t i = 0; i < members.size(); ++i) longest = std::max(longest, core_of(i).settings().timeout);
    return base::later(lease_clock::now(), longest);
}

duration multi_lock_impl::time_for_replicas() const {
    duration longest{0};
    for (auto const& one : members)
        if (auto const& policy = lock_access::impl(one)->replicas; policy.replicas != 0)
            longest = std::max(longest, policy.time);
    return longest;
}

std::error_code multi_lock_impl::refusal(bool blocking) const {
    for (std::size_t i = 0; i < members.size(); ++i) {
        if (core_of(i).forked()) return errc::forked;
        if (blocking && core_of(i).on_own_thread()) return errc::wrong_thread;
    }
    return {};
}

std::shared_ptr<multi_lock_impl> make_multi_lock(std::string_view kind, std::vector<basic_lock> members) {
    auto const complain = [kind](std::string const& problem) {
        throw error(errc::invalid_argument, std::string(kind) + ": " + problem);
    };
    if (members.empty()) complain("there are no members; give one lock at least");
    for (auto const& one : members)
        if (lock_access::impl(one) == nullptr) complain("a member was moved from; give the lock that it was moved to");
    if (auto const* const one = in_the_way_of_another(members))
        complain("two members have the name " + locking::shown(one->name())
                 + " and are of different kinds, so that one would wait for the other; leave one of them out");
    auto impl = std::make_shared<multi_lock_impl>();
    impl->kind = kind;
    impl->needed = members.size();
    impl->members = std::move(members);
    auto* const group = impl.get();
    return {std::make_shared<shared_by_copies>(std::move(impl)), group};
}

} // namespace redlatch::detail
