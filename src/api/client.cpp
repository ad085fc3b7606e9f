#include "api/access.hpp"
#include "api/both_forms.hpp"
#include "api/client_opening.hpp"
#include "api/counter_impl.hpp"
#include "api/counter_listing.hpp"
#include "api/event_source_access.hpp"
#include "api/leader_election_impl.hpp"
#include "api/listing.hpp"
#include "api/name_prefix.hpp"
#include "api/permit_listing.hpp"
#include "api/replica_rules.hpp"
#include "api/server_inspection.hpp"
#include "api/server_view.hpp"
#include "base/hash_slot.hpp"
#include "locking/names.hpp"
#include "locking/recipes/counter_kinds.hpp"
#include "locking/recipes/election.hpp"
#include "locking/recipes/faster_multi.hpp"
#include "locking/recipes/recipes.hpp"

#include <redlatch/client.hpp>
#include <redlatch/error.hpp>

#include <algorithm>
#include <utility>

namespace redlatch {

client::client(config const& settings) : handle_(detail::open_client(settings, std::nullopt)) {}

client::client(std::string_view uri) : client(config::from_uri(uri)) {}

client::client(config const& settings, user_loop loop) : handle_(detail::open_client(settings, std::move(loop))) {}

detail::client_handle const& client::handle() const {
    if (!handle_) throw error(errc::invalid_argument, "this client was moved from; use the one that it was moved to");
    return *handle_;
}

event_source client::loop_source() const {
    return detail::event_source_access::of(handle().core);
}

user_loop const* client::driven_by() const noexcept {
    return handle_ ? handle_->core->driven_by() : nullptr;
}

namespace {

/// What is called so on the server. `kind`: "lock" or another. Throws error(bad_name), error(forked).
std::string usable_name(io::client_core const& core, std::string const& kind, std::string const& asked) {
    if (asked.empty()) throw error(errc::bad_name, "a " + kind + " needs a name of at least one byte");
    auto name = detail::with_prefix(core.settings().name_prefix, asked);
    if (name.size() > locking::longest_name)
        throw error(errc::bad_name, "the " + kind + " name " + locking::shown(name) + " has "
                                        + std::to_string(name.size()) + " bytes; at most "
                                        + std::to_string(locking::longest_name) + " are allowed");
    if (core.forked()) throw error(errc::forked, make_error_code(errc::forked).message());
    return name;
}

/// `subject`: "lock 'x'". Throws error(invalid_argument).
void check_policy(std::string const& subject, std::optional<replica_policy> const& replicas) {
    if (!replicas) return;
    if (auto const problem = detail::problem_of(*replicas); !problem.empty())
        throw error(errc::invalid_argument, subject + ": " + problem);
}

/// Of a read-write lock. In a cluster a writer would get it, which needs the hash alone, and could not release it, which needs
/// the keys of the readers too. Throws error(bad_name).
void must_be_in_one_slot(io::client_core& core, std::string const& asked) {
    if (core.servers().mode() != server_mode::cluster) return;
    auto const name = detail::with_prefix(core.settings().name_prefix, asked);
    if (base::hash_slot(locking::read_hold_prefix(name)) == base::hash_slot(name)) return;
    throw error(errc::bad_name,
                "the keys of lock " + locking::shown(name)
                    + " would be in different slots of the cluster, because of the braces in its name; write "
                      "{ and } around at least one byte, or leave both out");
}

/// No round trip.
std::shared_ptr<detail::lock_impl> lock_of(detail::client_handle const& owner, std::string const& asked,
                                           locking::recipe const& recipe, std::optional<replica_policy> const& replicas,
                                           std::vector<std::string> const& parts = {}) {
    auto const& core = owner.core;
    auto const name = usable_name(*core, "lock", asked);
    check_policy("lock " + locking::shown(name), replicas);
    auto impl = std::make_shared<detail::lock_impl>();
    impl->core = core;
    impl->replicas = replicas.value_or(core->settings().replicas);
    impl->record = core->locked(
        [&](locking::lock_table& table, base::wake_list&) { return table.records.get(name, recipe, parts); });
    return impl;
}

std::shared_ptr<detail::counter_impl> counter_of(detail::client_handle const& owner, std::string const& asked,
                                                 locking::counter_kind const& recipe, counter_options const& options) {
    auto const& core = owner.core;
    auto const name = usable_name(*core, std::string(recipe.kind), asked);
    check_policy(std::string(recipe.kind) + " " + locking::shown(name), options.replicas);
    auto const replicas =
        recipe.changes() ? options.replicas.value_or(core->settings().replicas) : replica_policy::none();
    if (options.replicas && !recipe.changes())
        throw error(errc::invalid_argument,
                    std::string(recipe.kind) + " " + locking::shown(name)
                        + ": nothing is acquired of it, so that replicas have nothing to confirm; "
                          "leave out counter_options::replicas");
    return std::make_shared<detail::counter_impl>(
        detail::counter_impl{core, core->shared_counters().get(name, recipe), options, replicas});
}

} // namespace

reentrant_lock client::get_lock(std::string const& name, lock_options const& options) {
    return reentrant_lock(lock_of(handle(), name, locking::reentrant_recipe, options.replicas));
}

non_reentrant_lock client::get_non_reentrant_lock(std::string const& name, lock_options const& options) {
    return non_reentrant_lock(lock_of(handle(), name, locking::non_reentrant_recipe, options.replicas));
}

fenced_lock client::get_fenced_lock(std::string const& name, lock_options const& options) {
    return fenced_lock(lock_of(handle(), name, locking::fenced_recipe, options.replicas));
}

fair_lock client::get_fair_lock(std::string const& name, lock_options const& options) {
    return fair_lock(lock_of(handle(), name, locking::fair_recipe, options.replicas));
}

non_reentrant_fair_lock client::get_non_reentrant_fair_lock(std::string const& name, lock_options const& options) {
    return non_reentrant_fair_lock(lock_of(handle(), name, locking::non_reentrant_fair_recipe, options.replicas));
}

read_write_lock client::get_read_write_lock(std::string const& name, lock_options const& options) {
    must_be_in_one_slot(*handle().core, name);
    return read_write_lock(lock_of(handle(), name, locking::read_recipe, options.replicas),
                           lock_of(handle(), name, locking::write_recipe, options.replicas));
}

faster_multi_lock client::get_faster_multi_lock(std::string const& group, std::vector<std::string> const& values,
                                                lock_options const& options) {
    usable_name(*handle().core, "group", group);
    if (values.empty() || values.size() > locking::faster_multi::most_values)
        throw error(errc::invalid_argument, "the lock on values of the group " + locking::shown(group) + " needs 1 to "
                                                + std::to_string(locking::faster_multi::most_values) + " values, not "
                                                + std::to_string(values.size()));
    return faster_multi_lock(lock_of(handle(), group, locking::faster_multi_recipe, options.replicas,
                                     locking::faster_multi::fields_of(values)));
}

semaphore client::get_semaphore(std::string const& name, counter_options const& options) {
    return semaphore(counter_of(handle(), name, locking::semaphore_kind, options));
}

permit_semaphore client::get_permit_semaphore(std::string const& name, counter_options const& options) {
    return permit_semaphore(counter_of(handle(), name, locking::permit_kind, options));
}

count_down_latch client::get_count_down_latch(std::string const& name, counter_options const& options) {
    return count_down_latch(counter_of(handle(), name, locking::latch_kind, options));
}

leader_election client::get_leader_election(std::string const& name, election_options const& options) {
    auto const& core = handle().core;
    auto const whole = usable_name(*core, "leader election", name);
    if (options.candidate && !locking::election::is_candidate(*options.candidate))
        throw error(errc::invalid_argument,
                    "election " + locking::shown(name) + ": the candidate " + locking::shown(*options.candidate)
                        + " cannot be used; it is to have 1 to " + std::to_string(locking::election::longest_candidate)
                        + " bytes and no control characters");
    auto const candidate = options.candidate.value_or(core->label());
    auto lock = lock_of(handle(), whole, locking::election_recipe, options.replicas);
    lock->owner_suffix = std::make_shared<std::string const>(locking::election::owner_suffix(candidate));
    return leader_election(std::make_shared<detail::election_impl>(
        detail::election_impl{.core = core,
                              .lock = detail::election_impl::election_lock(std::move(lock)),
                              .change = {core, core->shared_counters().get(whole, locking::election_kind)},
                              .candidate = candidate}));
}

spin_lock client::get_spin_lock(std::string const& name, spin_backoff const& backoff, lock_options const& options) {
    auto impl = lock_of(handle(), name, locking::spin_recipe, options.replicas);
    if (backoff.first.count() < 1 || backoff.longest < backoff.first || backoff.multiplier < 1)
        throw error(
            errc::invalid_argument,
            "lock " + locking::shown(name)
                + ": the first pause of a spin lock must be at least one millisecond, the longest one no shorter "
                  "than that, and the multiplier at least one");
    auto const longest = std::min<duration>(backoff.longest, std::chrono::hours(1));
    impl->backoff = {std::min<duration>(backoff.first, longest), longest, backoff.multiplier};
    return spin_lock(std::move(impl));
}

namespace {

constexpr char const* about_listing = "listing locks";

std::vector<lock_info> found(detail::listing& all) {
    return all.take();
}

} // namespace

std::vector<lock_info> client::list_locks(std::string_view pattern, look_options const& options) {
    return detail::run_now<detail::listing>(handle().core, about_listing, found, std::string(pattern), options);
}

namespace {

template <class Seen> void must_be_told(std::function<void(std::vector<Seen>)> const& each) {
    if (!each)
        throw error(errc::invalid_argument,
                    "a visit needs a function that gets what is found; give one, and nothing was asked");
}

/// Throws error(invalid_argument).
inspect_servers_options const& checked(inspect_servers_options const& options) {
    constexpr int most = 1000;
    if (options.round_trips < 1 || options.round_trips > most)
        throw error(errc::invalid_argument, "inspect_servers_options::round_trips is "
                                                + std::to_string(options.round_trips) + "; it must be from 1 to "
                                                + std::to_string(most));
    return options;
}

} // namespace

void client::visit_locks(std::string_view pattern, std::function<void(std::vector<lock_info>)> each,
                         look_options const& options) {
    must_be_told(each);
    detail::run_now<detail::listing>(handle().core, about_listing, found, std::string(pattern), options,
                                     std::move(each));
}

namespace {

/// What `listing` has found, when the visit has ended.
template <class Listing> auto found_by(std::shared_ptr<Listing> listing) {
    return [listing = std::move(listing)](detail::key_visit&) { return listing->take(); };
}

template <class Listing, class... Arguments>
auto visit_now(std::shared_ptr<io::client_core> const& core, Arguments&&... arguments) {
    auto listing = std::make_shared<Listing>(core, std::forward<Arguments>(arguments)...);
    return detail::run_now<detail::key_visit>(core, Listing::about, found_by(listing), listing);
}

template <class Listing, class Found, class... Arguments>
std::optional<outcome> visit_later(std::shared_ptr<io::client_core> const& core, completion_ptr<Found>& done,
                                   Arguments&&... arguments) {
    auto listing = std::make_shared<Listing>(core, std::forward<Arguments>(arguments)...);
    return detail::run_later<detail::key_visit>(core, Listing::about, found_by(listing), done, listing);
}

} // namespace

std::vector<permit_info> client::list_permit_semaphores(std::string_view pattern, permit_visit_options const& options) {
    return visit_now<detail::permit_listing>(handle().core, pattern, options);
}

void client::async_list_permit_semaphores(std::string_view pattern, executor ex,
                                          std::function<void(std::error_code, std::vector<permit_info>)> handler,
                                          permit_visit_options const& options) {
    detail::with_handler<std::vector<permit_info>>(*handle().core, std::move(ex), std::move(handler),
                                                   [&](completion_ptr<std::vector<permit_info>>& done) {
                                                       return start_list_permit_semaphores(pattern, done, options);
                                                   });
}

std::optional<outcome> client::start_list_permit_semaphores(std::string_view pattern,
                                                            completion_ptr<std::vector<permit_info>>& done,
                                                            permit_visit_options const& options) {
    return visit_later<detail::permit_listing>(handle().core, done, pattern, options);
}

void client::visit_permit_semaphores(std::string_view pattern, std::function<void(std::vector<permit_info>)> each,
                                     permit_visit_options const& options) {
    must_be_told(each);
    visit_now<detail::permit_listing>(handle().core, pattern, options, std::move(each));
}

std::vector<counter_info> client::list_counters(std::string_view pattern) {
    return visit_now<detail::counter_listing>(handle().core, pattern);
}

void client::async_list_counters(std::string_view pattern, executor ex,
                                 std::function<void(std::error_code, std::vector<counter_info>)> handler) {
    detail::with_handler<std::vector<counter_info>>(
        *handle().core, std::move(ex), std::move(handler),
        [&](completion_ptr<std::vector<counter_info>>& done) { return start_list_counters(pattern, done); });
}

std::optional<outcome> client::start_list_counters(std::string_view pattern,
                                                   completion_ptr<std::vector<counter_info>>& done) {
    return visit_later<detail::counter_listing>(handle().core, done, pattern);
}

void client::visit_counters(std::string_view pattern, std::function<void(std::vector<counter_info>)> each) {
    must_be_told(each);
    visit_now<detail::counter_listing>(handle().core, pattern, std::move(each));
}

std::optional<outcome> client::start_list_locks(std::string_view pattern, completion_ptr<std::vector<lock_info>>& done,
                                                look_options const& options) {
    return detail::run_later<detail::listing>(handle().core, about_listing, found, done, std::string(pattern), options);
}

void client::async_list_locks(std::string_view pattern, executor ex,
                              std::function<void(std::error_code, std::vector<lock_info>)> handler,
                              look_options const& options) {
    detail::with_handler<std::vector<lock_info>>(
        *handle().core, std::move(ex), std::move(handler),
        [&](completion_ptr<std::vector<lock_info>>& done) { return start_list_locks(pattern, done, options); });
}

server_info client::ping() {
    auto const& core = handle().core;
    auto& server = core->any_node();
    return detail::run_now<io::query_batch>(core, detail::about_server, detail::server_that_answered(server), &server,
                                            detail::ask_who_is_there(), detail::about_server);
}

std::optional<outcome> client::start_ping(completion_ptr<server_info>& done) {
    auto const& core = handle().core;
    auto& server = core->any_node();
    return detail::run_later<io::query_batch>(core, detail::about_server, detail::server_that_answered(server), done,
                                              &server, detail::ask_who_is_there(), detail::about_server);
}

void client::async_ping(executor ex, std::function<void(std::error_code, server_info)> handler) {
    detail::with_handler<server_info>(*handle().core, std::move(ex), std::move(handler),
                                      [this](completion_ptr<server_info>& done) { return start_ping(done); });
}

namespace {

server_setup setup_in(detail::server_inspection& ended) {
    return ended.take();
}

} // namespace

server_setup client::inspect_servers(inspect_servers_options const& options) {
    return detail::run_now<detail::server_inspection>(handle().core, detail::about_servers, setup_in, checked(options));
}

std::optional<outcome> client::start_inspect_servers(completion_ptr<server_setup>& done,
                                                     inspect_servers_options const& options) {
    return detail::run_later<detail::server_inspection>(handle().core, detail::about_servers, setup_in, done,
                                                        checked(options));
}

void client::async_inspect_servers(executor ex, std::function<void(std::error_code, server_setup)> handler,
                                   inspect_servers_options const& options) {
    detail::with_handler<server_setup>(
        *handle().core, std::move(ex), std::move(handler),
        [&](completion_ptr<server_setup>& done) { return start_inspect_servers(done, options); });
}

void client::on_event(std::function<void(event const&)> listener) {
    handle().core->set_listener(std::move(listener));
}

counters client::stats() const {
    return !handle_ || handle_->core->forked() ? counters() : handle_->core->stats();
}

std::string const& client::id() const noexcept {
    static std::string const none;
    return handle_ ? handle_->core->id() : none;
}

void client::start() {
    if (auto const refused = handle().core->refusal(false))
        throw error(static_cast<errc>(refused.value()), "start: " + refused.message());
    handle().core->start();
}

void client::close() noexcept {
    if (handle_) handle_->core->close();
}

} // namespace redlatch
