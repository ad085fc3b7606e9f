#include "api/access.hpp"
#include "api/event_source_access.hpp"
#include "api/listing.hpp"
#include "api/question.hpp"
#include "locking/names.hpp"
#include "resp/command.hpp"

#include <redlatch/client.hpp>
#include <redlatch/embedded_server.hpp>
#include <redlatch/error.hpp>

#include <utility>

namespace redlatch {

namespace {

/// The embedded default is started here: its address is known only now.
config with_real_address(config settings) {
    settings.validate();
    if (settings.address != "local:") return settings;
    embedded_server server;
    server.ensure_running();
    settings.address = server.uri();
    return settings;
}

} // namespace

client::client(config const& settings)
    : handle_(std::make_shared<detail::client_handle>(io::client_core::open(with_real_address(settings)))) {}

client::client(std::string_view uri) : client(config::from_uri(uri)) {}

client::client(config const& settings, user_loop loop)
    : handle_(
        std::make_shared<detail::client_handle>(io::client_core::open(with_real_address(settings), std::move(loop)))) {}

event_source client::events() const {
    return detail::event_source_access::of(handle_->core);
}

user_loop const* client::driven_by() const noexcept {
    return handle_->core->driven_by();
}

reentrant_lock client::get_lock(std::string name) {
    auto const& core = handle_->core;
    if (name.empty()) throw error(errc::bad_name, "a lock needs a name of at least one byte");
    if (name.size() > locking::longest_name)
        throw error(errc::bad_name, "the lock name " + locking::shown(name) + " has " + std::to_string(name.size())
                                        + " bytes; at most " + std::to_string(locking::longest_name) + " are allowed");
    if (core->forked()) throw error(errc::forked, make_error_code(errc::forked).message());
    auto impl = std::make_shared<detail::lock_impl>();
    impl->core = core;
    impl->record = core->locked(
        [&](locking::lock_table& table, base::wake_list&) { return table.record(name, locking::reentrant_recipe); });
    return reentrant_lock(std::move(impl));
}

namespace {

constexpr char const* about_listing = "listing locks";

std::vector<lock_info> found(detail::listing& all) {
    return all.take();
}

} // namespace

std::vector<lock_info> client::list_locks(std::string_view pattern) {
    return detail::run_now<detail::listing>(handle_->core, about_listing, found, std::string(pattern));
}

std::optional<outcome> client::start_list_locks(std::string_view pattern,
                                                completion_ptr<std::vector<lock_info>>& done) {
    return detail::run_later<detail::listing>(handle_->core, about_listing, found, done, std::string(pattern));
}

void client::async_list_locks(std::string_view pattern, executor where,
                              std::function<void(std::error_code, std::vector<lock_info>)> handler) {
    detail::with_handler<std::vector<lock_info>>(
        *handle_->core, std::move(where), std::move(handler),
        [&](completion_ptr<std::vector<lock_info>>& done) { return start_list_locks(pattern, done); });
}

namespace {

detail::question<server_info> who_is_there(std::shared_ptr<io::client_core> const& core) {
    return {resp::command("INFO", "server"), "asking the server who it is",
            [address = core->server(), began = lease_clock::now()](io::query const& answered) {
                auto const& text = answered.reply().text;
                server_info info;
                info.round_trip = std::chrono::duration_cast<std::chrono::microseconds>(lease_clock::now() - began);
                info.address = address;
                auto const valkey = connection::info_field(text, "valkey_version", ':', "\r\n");
                info.software = valkey.empty() ? "redis" : "valkey";
                info.version = valkey.empty() ? connection::info_field(text, "redis_version", ':', "\r\n") : valkey;
                return info;
            }};
}

} // namespace

server_info client::ping() {
    return detail::ask_now(handle_->core, who_is_there(handle_->core));
}

std::optional<outcome> client::start_ping(completion_ptr<server_info>& done) {
    return detail::ask_later(handle_->core, who_is_there(handle_->core), done);
}

void client::async_ping(executor where, std::function<void(std::error_code, server_info)> handler) {
    detail::with_handler<server_info>(*handle_->core, std::move(where), std::move(handler),
                                      [this](completion_ptr<server_info>& done) { return start_ping(done); });
}

void client::on_event(std::function<void(event const&)> listener) {
    handle_->core->set_listener(std::move(listener));
}

counters client::stats() const {
    return handle_->core->forked() ? counters() : handle_->core->stats();
}

std::string const& client::id() const noexcept {
    return handle_->core->id();
}

void client::start() {
    if (auto const refused = handle_->core->refusal(false))
        throw error(static_cast<errc>(refused.value()), "start: " + refused.message());
    handle_->core->start();
}

void client::close() noexcept {
    handle_->core->close();
}

} // namespace redlatch
