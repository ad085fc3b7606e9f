#include "stage.hpp"

#include "support/wait_until.hpp"

#include <algorithm>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace redlatch::chaos {

namespace {

using test::wait_until;

/// Nobody is left waiting: how long each may take to come back. Redisson repeats commands for many seconds.
constexpr std::chrono::seconds all_back{30};

void expect(bool came, char const* what, worker_process& who) {
    if (!came) throw std::runtime_error(who.name() + " did not " + what + "; " + who.error_text());
}

} // namespace

stage::stage(stage_options options) : options_(std::move(options)) {}

stage::~stage() = default;

worker_settings stage::base_settings() {
    worker_settings result;
    result.margin = milliseconds(200);
    return result;
}

worker_process& stage::start(worker_settings settings, std::vector<std::string> environment) {
    settings.lock = lock;
    settings.uri = options_.servers->uri();
    settings.mode = options_.servers->mode();
    settings.watchdog = options_.lease;
    settings.replicas = options_.replicas;
    settings.history_file = (folder_.path() / (settings.name + ".history")).string();
    settings.counter_file = (folder_.path() / "counter").string();
    workers_.push_back(
        std::make_unique<worker_process>(options_.of, options_.with, std::move(settings), std::move(environment)));
    return *workers_.back();
}

worker_process& stage::holder(std::vector<std::string> environment) {
    auto settings = base_settings();
    settings.name = "holder";
    settings.first = std::chrono::hours(1);
    auto& result = start(settings, std::move(environment));
    expect(wait_until([&] { return result.ended() || result.each_thread(kind::enter); }, all_back) && !result.ended(),
           "get the lock", result);
    return result;
}

worker_process& stage::waiters() {
    return waiting("waiters");
}

worker_process& stage::more_waiters() {
    return waiting("more");
}

worker_process& stage::waiting(std::string const& name) {
    auto settings = base_settings();
    settings.name = name;
    settings.threads = 2;
    auto& result = start(settings);
    bool const wait =
        wait_until([&] { return result.each_thread(kind::ask) && options_.servers->somebody_listens(lock); }, all_back);
    expect(wait, "wait", result);
    return result;
}

void stage::traffic(int processes, int threads) {
    for (int i = 0; i < processes; ++i) {
        auto settings = base_settings();
        settings.name = "worker" + std::to_string(i);
        settings.threads = threads;
        // One process gives up and asks again: deadlines, too, are to hold.
        if (i == 0) settings.wait = milliseconds(1000);
        start(settings);
    }
    for (auto const& each : workers_)
        expect(wait_until([&] { return each->each_thread(kind::enter); }, all_back), "get the lock", *each);
}

void stage::note(kind what, std::string const& who, std::string const& text) {
    own_.push_back({.at = now_us(), .who = who, .what = what, .text = text});
}

void stage::fault(std::function<void()> const& act) {
    note(kind::fault);
    act();
}

void stage::healed() {
    note(kind::healed);
    healed_at_ = own_.back().at;
}

void stage::during(milliseconds length) {
    // sleeps because the length of the fault is its subject
    std::this_thread::sleep_for(length);
}

void stage::kill(worker_process& who) {
    who.kill();
    note(kind::killed, who.name());
}

void stage::stop(worker_process& who) {
    note(kind::stopped, who.name());
    who.stop();
}

void stage::go_on(worker_process& who) {
    note(kind::continued, who.name()); // first: it writes its own lines at once
    who.signal(SIGCONT);
}

bool stage::hold_is_over(worker_process& who) {
    auto const survived = healed_at_ + std::chrono::microseconds(who.settings().watchdog).count() * 3 / 2;
    auto const& events = who.so_far();
    return std::any_of(events.begin(), events.end(), [&](event const& each) {
        bool const ended = each.what == kind::lost || each.what == kind::leave || each.what == kind::turned_away;
        return ended || (each.what == kind::look && each.at >= survived);
    });
}

void stage::wait_for_the_holder() {
    for (auto const& each : workers_)
        if (!each->killed() && each->settings().first.count() > 0
            && !wait_until([&] { return hold_is_over(*each); }, all_back))
            problems_.push_back({"holder", each->name() + " neither kept its hold nor found it lost"});
}

/// Somebody has entered, or the holder has outlived its lease.
bool stage::somebody_is_back() {
    auto const survived = healed_at_ + std::chrono::microseconds(options_.lease).count() * 3 / 2;
    return std::any_of(workers_.begin(), workers_.end(), [&](auto const& each) {
        auto const& events = each->so_far();
        return std::any_of(events.rbegin(), events.rend(), [&](event const& one) {
            return (one.what == kind::enter && one.at > healed_at_) || (one.what == kind::look && one.at >= survived);
        });
    });
}

void stage::wait_for_all_to_enter(std::int64_t since) {
    auto const entered = [&](auto const& each) { return each->killed() || each->each_thread(kind::enter, since); };
    wait_until([&] { return std::all_of(workers_.begin(), workers_.end(), entered); }, all_back);
    for (auto const& each : workers_)
        if (!entered(each))
            problems_.push_back({"liveness", each->name() + ": not every thread got the lock again within "
                                                 + std::to_string(all_back.count()) + " s"});
}

void stage::end_all() {
    for (auto const& each : workers_)
        if (!each->killed()) each->begin_end();
    for (auto const& each : workers_)
        if (!each->killed() && !each->wait_end(all_back))
            problems_.push_back({"end", each->name() + " did not end as it should; " + each->error_text()});
}

void stage::look_for_keys() {
    bool const leases = std::any_of(workers_.begin(), workers_.end(), [](auto const& each) { return each->killed(); });
    auto const limit = std::chrono::seconds(2) + (leases ? options_.lease : milliseconds(0));
    std::vector<std::string> keys;
    // Redisson leaves short-lived keys of its own beside a lock; no lock waits for them.
    std::string const pattern = options_.of == library::redisson ? lock : "*";
    wait_until([&] { return (keys = options_.servers->keys(pattern)).empty(); }, limit);
    for (auto const& key : keys) note(kind::key_left, "runner", key);
}

stage::outcome stage::finish() {
    if (healed_at_ == 0) throw std::logic_error("a scenario ends with healed()");
    wait_for_the_holder();
    wait_until([&] { return somebody_is_back(); }, all_back);
    auto const now = now_us();
    note(kind::released);
    for (auto const& each : workers_)
        if (!each->killed()) each->release();
    wait_for_all_to_enter(now);
    end_all();
    look_for_keys();
    outcome result{.events = own_, .problems = problems_};
    for (auto const& each : workers_) {
        auto const& events = each->so_far();
        result.events.insert(result.events.end(), events.begin(), events.end());
    }
    sort(result.events);
    return result;
}

} // namespace redlatch::chaos
