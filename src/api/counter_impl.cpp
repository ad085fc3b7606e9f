#include "api/counter_impl.hpp"

#include "io/log.hpp"
#include "locking/names.hpp"
#include "locking/refused_command.hpp"

#include <algorithm>

namespace redlatch::detail {

std::string counter_impl::next_record() const {
    return options.exactly_once ? new_record() : std::string();
}

std::string counter_impl::new_record() const {
    return core->new_record(what->name);
}

void complain(counter_impl const& impl, std::string const& problem) {
    throw error(errc::invalid_argument, impl.shown() + ": " + problem);
}

std::string permits_in_words(locking::counter const& semaphore, std::int64_t permits) {
    return std::to_string(permits) + (permits == 1 ? " permit of " : " permits of ") + semaphore.shown();
}

void must_be_at_least(counter_impl const& impl, char const* quantity, std::int64_t least, std::int64_t number) {
    if (number < least)
        complain(impl, std::string(quantity) + " must be " + std::to_string(least) + " or more, not "
                           + std::to_string(number));
}

question<std::int64_t> number_of(counter_impl const& impl, std::string const& about) {
    return {.call = impl.what->how->count(impl.what->request()),
            .about = about,
            .read =
                [about, read = impl.what->how->read_count](io::query const& answered) {
                    auto const number = read(answered.reply());
                    if (number) return *number;
                    if (answered.reply().is_text())
                        throw error(errc::wrong_type, answered.message_of(errc::wrong_type));
                    throw error(errc::bad_reply, "the server sent an unexpected reply to " + about);
                },
            .kind = impl.what->how->kind};
}

io::counter_change::request
to_request(counter_impl const& impl, std::string about, std::int64_t amount,
           std::function<locking::wire_call(locking::counter_request const&)> const& compose, bool idempotent) {
    auto const record = idempotent ? std::string() : impl.next_record();
    auto request = impl.what->request();
    request.record = record;
    request.amount = amount;
    return {.call = compose(request),
            .repeatable = idempotent || !record.empty(),
            .subject = std::move(about),
            .kind = impl.what->how->kind,
            .deadline = base::later(lease_clock::now(), impl.core->settings().timeout),
            .counter = impl.what,
            .amount = amount};
}

void make_release(io::counter_change::request& change, std::int64_t amount) {
    change.releases = true;
    change.message = std::to_string(amount);
    change.tells = [](resp::value const& reply) { return locking::heard_by(reply).has_value(); };
}

void warn_that_nobody_was_told(std::string const& subject, std::string const& channel) {
    io::log(log_level::warning, subject
                                    + " was changed, but this user may not publish: waiters were not told, and ask "
                                      "again only after a while; grant 'publish' (where messages go to shards, "
                                      "'spublish') and the channel "
                                    + locking::word_of_rule('&', channel));
}

std::function<std::optional<bool>(resp::value const&)> reads_done(counter_impl const& impl) {
    return [which = impl.shown(), channel = impl.what->channel](resp::value const& reply) -> std::optional<bool> {
        if (!reply.is_integer() || reply.integer < 0 || reply.integer > locking::done_silently) return std::nullopt;
        if (reply.integer == locking::done_silently) warn_that_nobody_was_told(which, channel);
        return reply.integer > 0;
    };
}

std::function<std::optional<bool>(resp::value const&)> reads_release(counter_impl const& impl) {
    return [done = reads_done(impl)](resp::value const& reply) {
        return locking::heard_by(reply) ? std::optional(true) : done(reply);
    };
}

io::counter_wait::request to_request(counter_impl const& impl, counter_wait_options const& options) {
    io::counter_wait::request order;
    order.what = impl.what;
    order.amount = options.amount;
    auto const& how = *impl.what->how;
    if (how.changes() && !how.names_what_it_takes()) // by which a server is known that has never heard of it
        order.record = impl.replicas.replicas != 0 ? impl.new_record() : impl.next_record();
    if (options.lease && *options.lease < longest_time) order.lease = *options.lease;
    order.known = options.known;
    bool const for_ever = options.wait ? *options.wait >= longest_time : options.for_ever;
    order.waits_for_ever = for_ever;
    order.may_wait = for_ever || (options.wait && options.wait->count() > 0);
    if (!for_ever)
        order.deadline =
            base::later(lease_clock::now(), order.may_wait ? *options.wait : impl.core->settings().timeout);
    return order;
}

std::error_code check(counter_impl const& impl, counter_wait_options const& options, std::string& message) {
    if (options.amount < 1)
        message = impl.shown() + ": permits must be 1 or more, not " + std::to_string(options.amount);
    else if (impl.what->how->names_what_it_takes() && options.amount > most_permits_at_once)
        message = impl.shown() + ": permits must be " + std::to_string(most_permits_at_once) + " or fewer at once, not "
                  + std::to_string(options.amount) + "; each of them has an id";
    else if (options.lease && options.lease->count() < 1)
        message = impl.shown() + ": lease must be at least one millisecond";
    else if (options.wait && options.wait->count() < 0)
        message = impl.shown() + ": wait must be zero or more";
    else
        return {};
    return errc::invalid_argument;
}

std::string waiting_for(counter_impl const& impl) {
    return "waiting for " + impl.shown() + ": ";
}

namespace {

using taken_function = std::function<void(io::counter_wait const&)>;

template <class Wait>
std::error_code run(Wait& wait, std::stop_token const& stop, std::string* message, taken_function const& taken) {
    io::run_blocking(wait, stop);
    if (!wait.result() && taken) taken(wait.acquired());
    wait.handed_over();
    if (wait.result() && message != nullptr) *message = wait.message();
    return wait.result();
}

} // namespace

std::error_code wait_now(counter_impl const& impl, counter_wait_options const& options, std::string* message,
                         taken_function const& taken) {
    std::string problem;
    auto wrong = impl.core->refusal(true);
    if (wrong)
        problem = waiting_for(impl) + wrong.message();
    else
        wrong = check(impl, options, problem);
    if (wrong) {
        if (message != nullptr) *message = std::move(problem);
        return wrong;
    }
    // It hears of messages, gives back what nobody waits for any more, and tells of a loss.
    if (auto const no_thread = impl.core->have_thread()) {
        if (message != nullptr) *message = waiting_for(impl) + io::no_io_thread;
        return no_thread;
    }
    if (impl.replicas.replicas != 0) {
        io::confirmed_wait one(impl.core, to_request(impl, options), impl.replicas);
        return run(one, options.stop, message, taken);
    }
    io::counter_wait one(impl.core, to_request(impl, options));
    return run(one, options.stop, message, taken);
}

std::optional<outcome> wait_later(counter_impl const& impl, counter_wait_options const& options,
                                  completion_ptr<>& done) {
    return start_wait(impl, options, done, [core = impl.core](auto& ended, completion_ptr<> completion) {
        ended.handed_over();
        tell(*core, std::move(completion), ended.result() ? failure_of(ended) : outcome());
    });
}

std::optional<outcome> try_wait_later(counter_impl const& impl, counter_wait_options const& options,
                                      completion_ptr<bool>& done) {
    return start_wait(impl, options, done, [core = impl.core](auto& ended, completion_ptr<bool> completion) {
        ended.handed_over();
        bool const failed = ended.result() && !means_no(ended.result());
        tell(*core, std::move(completion), failed ? failure_of(ended) : outcome(), !ended.result());
    });
}

} // namespace redlatch::detail
