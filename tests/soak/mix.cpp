#include "mix.hpp"

#include <future>
#include <utility>

namespace redlatch::soak {

using namespace std::chrono_literals;

namespace {

int below(std::minstd_rand& chance, int limit) {
    return std::uniform_int_distribution(0, limit - 1)(chance);
}

void raise_to(number& largest, std::uint64_t value) {
    for (auto now = largest.load(); now < value && !largest.compare_exchange_weak(now, value);) {
    }
}

void pass(std::chrono::microseconds time) {
    // sleeps because work takes time
    std::this_thread::sleep_for(time);
}

} // namespace

std::stop_token cancellable::enter() {
    std::lock_guard const guard(mutex_);
    source_ = {};
    return source_.get_token();
}

void cancellable::cancel() {
    std::stop_source now(std::nostopstate);
    {
        std::lock_guard const guard(mutex_);
        now = source_;
    }
    now.request_stop();
}

mix::mix(client& with, config settings, board& shared, process_row& row, int threads)
    : client_(&with), settings_(std::move(settings)), board_(&shared), row_(&row),
      cancellable_(static_cast<std::size_t>(threads)) {}

mix::~mix() {
    stop();
}

void mix::start(unsigned seed) {
    ending_ = {};
    for (std::size_t i = 0; i < cancellable_.size(); ++i)
        threads_.emplace_back([this, i, seed] { work(i, random(seed * 1000 + static_cast<unsigned>(i) + 1)); });
    threads_.emplace_back([this, seed] { cancel_now_and_then(ending_.get_token(), random(seed * 1000 + 999)); });
}

void mix::stop() {
    ending_.request_stop();
    threads_.clear();
    for (auto& each : on_their_way_) give_back(each.what);
    on_their_way_.clear();
}

void mix::work(std::size_t thread, random chance) {
    while (!ending_.stop_requested()) {
        try {
            one_step(thread, chance);
        } catch (error const& problem) {
            count(problem.code());
        }
        pass(std::chrono::microseconds(below(chance, 20'000)));
    }
}

void mix::cancel_now_and_then(std::stop_token const& ending, random chance) {
    while (!ending.stop_requested()) {
        cancellable_[static_cast<std::size_t>(below(chance, static_cast<int>(cancellable_.size())))].cancel();
        pass(2ms);
    }
}

void mix::one_step(std::size_t thread, random& chance) {
    switch (below(chance, 16)) {
    case 0: return nested(thread, chance);
    case 1: return adapter(chance);
    case 2: return short_lease(thread, chance);
    case 3:
    case 4: return asynchronous(thread, chance);
    case 5: return hand_off(thread, chance);
    case 6:
    case 7: return take_over(chance);
    case 8: return force(chance);
    case 9: return below(chance, 40) == 0 ? other_client(thread, chance) : plain(*client_, thread, chance);
    default: return plain(*client_, thread, chance);
    }
}

mix::wish mix::a_wish(client& from, std::size_t thread, random& chance) {
    bool const judged = below(chance, 4) != 0;
    auto const which = static_cast<std::size_t>(below(chance, judged ? judged_locks : abused_locks));
    wish result{.lock = from.get_lock(judged ? judged_name(which) : abused_name(which))};
    if (judged) result.judged = which;
    result.options.wait = std::chrono::milliseconds(1 + below(chance, 500)); // zero would be a try, without a deadline
    result.options.owner = owner{};
    if (below(chance, 2) == 0) result.options.stop = cancellable_[thread].enter();
    return result;
}

std::optional<hold> mix::taken(wish& want, bool try_only) {
    std::error_code code;
    auto const asked = lease_clock::now();
    auto result = try_only ? want.lock.try_acquire({.owner = want.options.owner}, code)
                           : want.lock.try_acquire(want.options, code);
    if (!try_only) check_deadline(row_->overrun_us, want.options, asked);
    count(code);
    return result;
}

void mix::check_deadline(number& longest, acquire_options const& options, lease_clock::time_point asked) {
    auto const late = lease_clock::now() - asked - *options.wait;
    if (late > 0ns)
        raise_to(longest,
                 static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(late).count()));
}

void mix::count(std::error_code code) {
    if (!code) return;
    if (code == errc::busy || code == errc::timed_out)
        ++row_->refused;
    else if (code == errc::cancelled)
        ++row_->cancelled;
    else if (code == errc::disconnected || code == errc::outcome_unknown || code == errc::server_refused)
        ++row_->disconnected;
    else if (code == errc::lease_lost)
        ++row_->lost;
    else
        ++row_->other_errors.at(static_cast<std::size_t>(code.value()) % row_->other_errors.size());
}

void mix::inside(hold const& mine, std::optional<std::size_t> judged, random& chance) {
    ++row_->acquired;
    std::stop_callback const on_loss(mine.lost(), [this] { ++row_->told; });
    // One in a hundred stays for some renewals.
    auto const stay = below(chance, 100) == 0 ? std::chrono::microseconds(below(chance, 4'000'000))
                                              : std::chrono::microseconds(below(chance, 4'000));
    auto const valid = [&] { return bool(mine); };
    if (!judged) {
        pass(stay);
        return;
    }
    presence here(*board_, *judged);
    if (!here.look(valid)) {
        here.turn_away();
        return;
    }
    ++row_->sections;
    auto const end = lease_clock::now() + stay;
    while (lease_clock::now() < end) {
        pass(std::min(stay, std::chrono::microseconds(5'000)));
        if (!here.look(valid)) return;
    }
}

void mix::give_back(hold& mine) {
    std::error_code code;
    mine.release(code);
    count(code);
}

void mix::plain(client& from, std::size_t thread, random& chance) {
    auto want = a_wish(from, thread, chance);
    auto mine = taken(want, below(chance, 4) == 0);
    if (!mine) return;
    inside(*mine, want.judged, chance);
    if (below(chance, 4) == 0)
        mine->release_detached();
    else if (below(chance, 4) != 0)
        give_back(*mine);
    // else its destructor
}

void mix::nested(std::size_t thread, random& chance) {
    auto want = a_wish(*client_, thread, chance);
    auto first = taken(want);
    if (!first) return;
    auto second = taken(want, true);
    auto third = taken(want);
    inside(*first, want.judged, chance);
    for (auto* each : {&third, &first, &second})
        if (*each) give_back(**each);
}

void mix::adapter(random& chance) {
    auto const which = static_cast<std::size_t>(below(chance, judged_locks));
    auto lock = client_->get_lock(judged_name(which));
    if (!lock.try_lock_for(std::chrono::milliseconds(below(chance, 200)))) return;
    auto const view = lock.current_hold();
    presence here(*board_, which);
    auto const valid = [&] { return bool(view); };
    if (here.look(valid)) {
        ++row_->sections;
        pass(std::chrono::microseconds(below(chance, 2'000)));
        here.look(valid);
    } else {
        here.turn_away();
    }
    lock.unlock();
}

void mix::short_lease(std::size_t thread, random& chance) {
    auto want = a_wish(*client_, thread, chance);
    want.options.lease = std::chrono::milliseconds(50 + below(chance, 200));
    auto mine = taken(want);
    if (!mine) return;
    inside(*mine, want.judged, chance);
    // Every other one is left to expire.
    while (below(chance, 2) == 0 && *mine) pass(10ms);
    give_back(*mine);
}

void mix::asynchronous(std::size_t thread, random& chance) {
    auto want = a_wish(*client_, thread, chance);
    using answer = std::pair<std::error_code, std::optional<hold>>;
    auto const promise = std::make_shared<std::promise<answer>>();
    auto future = promise->get_future();
    auto const asked = lease_clock::now();
    want.lock.async_try_acquire(want.options, {}, [promise](std::error_code code, std::optional<hold> got) {
        promise->set_value({code, std::move(got)});
    });
    auto [code, mine] = future.get();
    check_deadline(row_->handler_overrun_us, want.options, asked);
    count(code);
    if (!mine) return;
    inside(*mine, want.judged, chance);
    auto const released = std::make_shared<std::promise<std::error_code>>();
    auto done = released->get_future();
    mine->async_release({}, [released](std::error_code result) { released->set_value(result); });
    count(done.get());
}

void mix::hand_off(std::size_t thread, random& chance) {
    auto want = a_wish(*client_, thread, chance);
    if (!want.judged) return;
    auto mine = taken(want);
    if (!mine) return;
    std::lock_guard const guard(mutex_);
    on_their_way_.push_back({std::move(*mine), *want.judged});
}

void mix::take_over(random& chance) {
    std::optional<handed_over> next;
    {
        std::lock_guard const guard(mutex_);
        if (on_their_way_.empty()) return;
        next = std::move(on_their_way_.front());
        on_their_way_.pop_front();
    }
    inside(next->what, next->lock, chance);
    give_back(next->what);
}

void mix::force(random& chance) {
    client_->get_lock(abused_name(static_cast<std::size_t>(below(chance, abused_locks)))).force_unlock();
    ++row_->forced;
}

void mix::other_client(std::size_t thread, random& chance) {
    client another(settings_);
    for (int i = 0; i < 3; ++i) plain(another, thread, chance);
    auto want = a_wish(another, thread, chance);
    auto const held_to_the_end = taken(want);
    if (below(chance, 2) == 0) another.close();
    ++row_->clients;
}

} // namespace redlatch::soak
