"""The mutants: (what is broken, file, text, replacement)."""

ACQUIRE = "lua/lock_acquire.lua"
RELEASE = "lua/lock_release.lua"
RENEW = "lua/lock_renew.lua"
COUNT = "lua/lock_set_count.lua"
OP = "src/locking/acquire_op.cpp"
TABLE = "src/locking/lock_table.cpp"
KEEPER = "src/locking/lease_keeper.cpp"
REAPER = "src/locking/reaper.cpp"
REGISTRY = "src/locking/subscription_registry.cpp"
QUEUE = "src/locking/wait_queue.cpp"
MULTIPLEXER = "src/connection/multiplexer.cpp"
LANE = "src/io/lane.cpp"
ACQUISITION = "src/io/acquisition.cpp"
RELEASING = "src/io/releasing.cpp"
CORE = "src/io/client_core.cpp"
END = "src/io/client_core_end.cpp"
REACTOR = "src/io/reactor.cpp"
RECIPE = "src/locking/recipes/reentrant.cpp"
PASSING = "src/locking/local_passing.hpp"

MUTANTS = [
    # --- scripts
    ("acquire does not look whether somebody holds the lock", ACQUIRE,
     "if left == -2 then",
     "if true then"),
    ("acquire shortens the lease of a repeat", ACQUIRE,
     "if left >= 0 and left < tonumber(ARGV[1]) then redis",
     "if true then redis"),
    ("acquire takes anybody's lock for its own", ACQUIRE,
     "redis.call('hexists', KEYS[1], ARGV[2]) == 1",
     "redis.call('hlen', KEYS[1]) == 1"),
    ("acquire tells waiters half of the time that is left", ACQUIRE,
     "return left\n",
     "return left * 4\n"),
    ("release drops the check of the owner", RELEASE,
     "if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end",
     ""),
    ("release publishes nothing", RELEASE,
     "local told = redis.pcall(ARGV[2], KEYS[2], 0)",
     "local told = 0"),
    ("renewal drops the check of the owner", RENEW,
     "redis.pcall('hexists', KEYS[i], ARGV[i + 1])",
     "redis.pcall('exists', KEYS[i])"),
    ("renewal renews nothing", RENEW,
     "if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[i], ARGV[1]) end",
     ""),
    ("renewal names nobody as lost", RENEW,
     "lost[#lost + 1] = i",
     "lost[1] = nil"),
    ("a write of a count shortens the lease", COUNT,
     "if left >= 0 and left < tonumber(ARGV[1]) then redis",
     "if true then redis"),
    ("a write of a count makes a lock of nothing", COUNT,
     "if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end",
     ""),
    # --- validity and renewal
    ("validity is counted from the answer", ACQUISITION,
     "if (op_->result() == acquire_op::outcome::acquired) take_level(answered->sent_at);\n"
     "    return carry_out(next);",
     "if (op_->result() == acquire_op::outcome::acquired) take_level(now);\n"
     "    return carry_out(next);"),
    ("validity has no margin and outlives the lease", KEEPER,
     "lease - validity_margin(lease, settings_.margin)",
     "lease + lease / 2"),
    ("the answer to a renewal counts after the end of the hold", KEEPER,
     "if (!is_kept(*one) || one->heap_index == tenure::npos) continue; // released or lost meanwhile",
     ""),
    ("a stale acquisition counts as held", OP,
     "if (still_valid(sent_at, now)) return finish(outcome::acquired);",
     "return finish(outcome::acquired);"),
    ("nothing is ever renewed", KEEPER,
     "which->next_renewal = base::later(sent_at, settings_.watchdog / 3);",
     "which->next_renewal = base::later(sent_at, settings_.watchdog * 3);"),
    ("renewal goes on after the release", TABLE,
     "    keeper.forget(which);\n"
     "    which->now_in",
     "    which->now_in"),
    ("an answer to a renewal is not counted", KEEPER,
     "if (lease > mere_question) {",
     "if (false) {"),
    ("the server's word that a lock is lost is not heard", KEEPER,
     "            forget(one);\n"
     "            out.lost.push_back(one);\n"
     "            continue;\n"
     "        }\n"
     "        if (lease",
     "        }\n"
     "        if (lease"),
    ("max_hold is renewed", KEEPER,
     "std::min(std::max(promised, which->validity()), which->max_hold_until())",
     "std::max(promised, which->validity())"),
    ("a loss is told to nobody", TABLE,
     "    note(notice::kind::lost, which);\n",
     ""),
    ("a failed renewal is never tried again", KEEPER,
     "        one->renewal_in_flight = false;\n"
     "        if (!is_kept(*one) || one->heap_index == tenure::npos) continue;\n"
     "        auto const wait",
     "        auto const wait"),
    ("a new connection verifies nothing", CORE,
     "        table.keeper.verify_all(now, found);\n",
     ""),
    # --- tenures, reaper, fence
    ("the id of a tenure is used again", TABLE,
     "which.serial = ++last_serial_;",
     "which.serial = 1 + (last_serial_++ % 2);"),
    ("a stale acquisition keeps its id", TABLE,
     "    dead.add({which->record, which->owner_id, lease, which->unfenced}, now, now);\n"
     "    which->unfenced = false;\n"
     "    assign_id(*which);",
     "    which->unfenced = false;"),
    ("nobody releases what was given up", TABLE,
     "if (may_hold || which->unfenced) dead.add(",
     "if (false) dead.add("),
    ("nobody sees a release without an answer through", TABLE,
     "    dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, now, "
     "now);\n"
     "}",
     "}"),
    ("the reaper asks once and never again", REAPER,
     "    schedule(number, one, base::later(now, retry_pause));",
     "    entries_.erase(at);"),
    ("no sweeps where the fence is refused", REAPER,
     "if (!one.what.unfenced || now",
     "if (true || now"),
    ("no fence and no sweep", MULTIPLEXER,
     "    fences_due_ = unfenced_.size();",
     "    unfenced_.clear();\n"
     "    fences_due_ = 0;"),
    ("the fence kills the wrong connection", MULTIPLEXER,
     "std::to_string(former.client_id)",
     "std::to_string(former.client_id + 1'000)"),
    ("a refused fence counts as done", MULTIPLEXER,
     "if (!answer.is_integer()) fence_refused_ = true;",
     ""),
    ("an abandoned call counts as never run", MULTIPLEXER,
     "    return true; // what is staged",
     "    return false; // what is staged"),
    ("calls of a broken connection are not repeated", MULTIPLEXER,
     "        again.push_back(which);\n",
     ""),
    ("a late answer that says acquired is ignored", ACQUISITION,
     "last.fresh_id = undo();",
     "undo();\n"
     "    last.fresh_id = false;"),
    ("a re-entry that failed counts", OP,
     "case count_answer::not_held: return finish(outcome::lost);",
     "case count_answer::not_held: break;"),
    # --- waiting
    ("the counter of messages is sampled after the attempt", ACQUISITION,
     "    auto const next = op_->on_answer(answer, answered->sent_at, now, sample_);",
     "    if (channel_) sample_ = core_->messages().sample(*channel_);\n"
     "    auto const next = op_->on_answer(answer, answered->sent_at, now, sample_);"),
    ("a waiter does not subscribe", "src/io/subscriber.cpp",
     "if (subscribe) registry_->subscribe(which);",
     ""),
    ("a confirmed subscription is no news", REGISTRY,
     "        answer.which->now_in = channel::state::subscribed;\n"
     "        moved(*answer.which, woken);",
     "        answer.which->now_in = channel::state::subscribed;"),
    ("a new connection does not subscribe again", REGISTRY,
     "        if (which->references > 0) ask(which);",
     "        static_cast<void>(which);"),
    ("messages are counted and nobody is woken", REGISTRY,
     "    for (auto const& waiter : which.waiters) woken.add(waiter);\n",
     ""),
    ("a lingering subscription is never given up", REGISTRY,
     "while (!lingering_.empty() && lingering_.front()->linger_until <= now)",
     "while (false)"),
    ("the next in the local queue is not told", QUEUE,
     "if (remove(place)) woken.add(head_->waker);",
     "static_cast<void>(woken), remove(place);"),
    ("whoever leaves the local queue leaves its place", QUEUE,
     "if (place->behind) rest_.erase(*std::exchange(place->behind, std::nullopt));",
     "static_cast<void>(place);"),
    ("a head that is held back has no timer", "src/locking/acquire_op.hpp",
     "held_back_pause{5};",
     "held_back_pause{3'600'000};"),
    ("a release does not tell the local head", RELEASING,
     "record_->queue.tell_head(woken, held_back_since);",
     "static_cast<void>(woken), static_cast<void>(held_back_since);"),
    ("a release by the reaper does not tell the local head", CORE,
     "if (what.freed) job.record->queue.tell_head(woken);",
     "static_cast<void>(woken);"),
    ("a wait ignores its deadline", OP,
     "return {act::wait, std::min(until, terms_.deadline), !sample.subscribed};",
     "return {act::wait, until, !sample.subscribed};"),
    ("a waiter ignores the time that it was told", OP,
     "auto next = wait(base::later(now, std::min(retry_after, terms_.longest_wait)), before);",
     "auto next = wait(base::later(now, terms_.longest_wait * 20), before);"),
    ("cancelling wakes nobody", "src/io/operation.hpp",
     "        if (thread_) thread_->wake();",
     ""),
    # --- plain commands
    ("a key that exists counts as acquired", ACQUISITION,
     "        return carry_out(op_->on_answer(answer, answered->sent_at, now, sample_));",
     "    {\n"
     "        auto const last = op_->on_answer({locking::acquire_answer::kind::acquired}, answered->sent_at, now, sample_);\n"
     "        take_level(answered->sent_at);\n"
     "        return carry_out(last);\n"
     "    }"),
    ("a re-entry is a plain command", ACQUISITION,
     "call_.begin(core_->data(), how.set_count(about, count), waker(), blocking());",
     "plain_ = count > 0, call_.begin(core_->data(), how.plain->acquire(about), waker(), blocking());"),
    ("a release that was cut short is not announced", TABLE,
     "if (!announced) dead.add(",
     "if (false) dead.add("),
    ("a release that was given up half-way counts as not begun", RELEASING,
     "if (half && !half->reply.is_error()) {",
     "if (false) {"),
    ("the second answer stands in place of the first", MULTIPLEXER,
     "(which->heard == 0 ? which->reply : which->second) = std::move(incoming);",
     "which->reply = std::move(incoming);"),
    ("a release whose connection broke half-way is sent again", MULTIPLEXER,
     "if (which->heard > 0) { // its",
     "if (false) { // its"),
    ("an abandoned release takes the answer of the next call", MULTIPLEXER,
     "if (due_.front()->heard + 1 < due_.front()->replies) {",
     "if (!due_.front()->abandoned && due_.front()->heard + 1 < due_.front()->replies) {"),
    ("a plain release publishes elsewhere", RECIPE,
     "    resp::append_command(both, {publish, about.channel, unlock_message});",
     "    resp::append_command(both, {publish, about.name, unlock_message});"),
    ("a plain acquisition takes no lease along", RECIPE,
     'resp::command("RESTORE", about.name, std::to_string(about.lease.count()),',
     'resp::command("RESTORE", about.name, "0",'),
    # --- hand-over within the process
    ("a hold with max_hold is passed on", TABLE,
     "at->renewed && !capped;",
     "at->renewed;"),
    ("a fixed lease is passed on", TABLE,
     "which->levels.size() == 1 && at->renewed && !capped;",
     "which->levels.size() == 1 && !capped;"),
    ("a waiter with a call under way is given the lock", TABLE,
     "!head || !head->waits || !head->passable) return false;",
     "!head || !head->passable) return false;"),
    ("a waiter whose earlier call may have run is given the lock", ACQUISITION,
     "!request_.lease && !may_hold_ && !tenure_->unfenced;",
     "!request_.lease;"),
    ("a waiter that wants a fixed lease is given the lock", TABLE,
     "!head || !head->waits || !head->passable) return false;",
     "!head || !head->waits) return false;"),
    ("who is given the lock keeps an id of its own", TABLE,
     "    to->owner_id = from->owner_id;\n",
     ""),
    ("who is given the lock is not woken", TABLE,
     "    woken.add(place->waker);\n",
     ""),
    ("who is given the lock keeps its turn", TABLE,
     "    give_turn_back(*to, woken);\n",
     ""),
    ("who leaves while it is given the lock does not have it", TABLE,
     "        return true;\n    }\n    auto& of = *place->whose->record;\n    of.queue.leave",
     "        return false;\n    }\n    auto& of = *place->whose->record;\n    of.queue.leave"),
    ("max_hold of whoever is given the lock does not count", TABLE,
     "    if (place->max_hold) what.max_hold_until = base::later(now, *place->max_hold);\n",
     ""),
    ("a copy of the acquisition that may come late is forgotten with a hand-over", TABLE,
     "    to->unfenced = from->unfenced;\n",
     ""),
    ("who is given the lock while a renewal is under way is never renewed", KEEPER,
     "from->renewal_in_flight ? base::instant() : from->next_renewal;",
     "from->renewal_in_flight ? base::never : from->next_renewal;"),
    ("who is given the lock is never suspect and never renewed", KEEPER,
     "    reschedule(to);\n",
     ""),
    ("the first of two is told to nobody", TABLE,
     "        if (of.passes.wakes_head()) of.queue.tell_head(woken);\n",
     ""),
    ("what passes can be taken again by anybody", TABLE,
     "if (!which || which->owner_number != owner_number || which->in_turn",
     "if (!which || which->in_turn"),
    ("what passes stays when the last waiter leaves", TABLE,
     "        stop_passing(of, now, now);\n    return false;",
     "        return false;\n    return false;"),
    ("what passes and ends is left on the server", TABLE,
     "    dead.add({which->record, which->owner_id, which->longest_ever, which->unfenced}, reap_at, now);\n}\n\n"
     "lock_table::finding",
     "    static_cast<void>(reap_at), static_cast<void>(now);\n}\n\n"
     "lock_table::finding"),
    ("what passes is not renewed", "src/locking/tenure.hpp",
     "if (in(phase::passing)) return true;",
     "if (in(phase::passing)) return false;"),
    ("a hold that is suspect keeps its local waiters waiting", TABLE,
     "one && !one->suspect.load(std::memory_order_relaxed)) {",
     "one) {"),
    ("a process passes a lock on for ever", PASSING,
     "if (now - began_ >= how.time) {",
     "if (false) {"),
    ("a message that was lost to somebody else is the last one that counts", OP,
     "auto next = wait(next_race_, sample);",
     "auto next = wait(terms_.deadline, sample);"),
    ("a window that was over is over for ever", PASSING,
     "        began_ = base::never;\n        time_is_over_ = false;",
     "        time_is_over_ = false;"),
    # --- lanes and the end
    ("whoever leaves the read role passes it to nobody", LANE,
     "        next.woken.add(other->who->as_waker());\n"
     "        return;",
     "        return;"),
    ("the read role is lost", LANE,
     "    read_ = needed ? read::armed : read::none;\n"
     "    if (needed)\n"
     "        arm();",
     "    read_ = read::armed;\n"
     "    if (false)\n"
     "        arm();"),
    ("nobody reads for those who sleep", LANE,
     "traffic_->expects_reply() || traffic_->has_sleepers() ||",
     "traffic_->expects_reply() ||"),
    ("bytes that were not taken are forgotten", LANE,
     "            sent_ += static_cast<std::size_t>(count);",
     "            sent_ = sending_.size();"),
    ("silence is never noticed", LANE,
     "    if (due_since_ == base::never) return base::never;",
     "    return base::never;"),
    ("a lost connection is not made again", LANE,
     "    bool const again = !connecting_;",
     "    bool const again = false;"),
    ("closing releases nothing", END,
     "    closing last(*this);\n"
     "    run_blocking(last);\n",
     ""),
]

# Hunted by tests/threads under the thread sanitizer.
OF_THREADS = [
    ("closing does not wait for acquisitions under way", ACQUISITION,
     "auto const* const unless = core_->closing_flag();",
     "std::atomic<bool> const* const unless = nullptr;"),
    ("a descriptor is closed before both roles are back", "src/io/lane.hpp",
     "(read_ == read::none || read_ == read::armed) && write_ != write::busy",
     "true"),
    ("an answer is announced before it is there", MULTIPLEXER,
     "    (which->heard == 0 ? which->reply : which->second) = std::move(incoming);\n"
     "    finish(*which, call::state::answered, woken);",
     "    finish(*which, call::state::answered, woken);\n"
     "    (which->heard == 0 ? which->reply : which->second) = std::move(incoming);"),
    ("an answer is announced without order", MULTIPLEXER,
     "which.status.store(how, std::memory_order_release);",
     "which.status.store(how, std::memory_order_relaxed);"),
    ("what was posted is taken without the mutex", REACTOR,
     "        std::lock_guard guard(mutex_);\n"
     "        if (posted_.empty()) return;",
     "        if (posted_.empty()) return;"),
    ("a timer is cancelled without the mutex", REACTOR,
     "    std::lock_guard guard(mutex_);\n"
     "    auto const found = timer_index_.find(which);",
     "    auto const found = timer_index_.find(which);"),
    ("operations that run are forgotten without the mutex", END,
     "    std::lock_guard guard(listener_mutex_);\n"
     "    dropped = running_.remove(what);",
     "    dropped = running_.remove(what);"),
    ("a wake-up between looking and sleeping is lost", "src/io/parker.cpp",
     "    auto const before = word_.exchange(told);",
     "    auto const before = word_.load();\n"
     "    if (before == awake) return;\n"
     "    word_.store(told);"),
]
