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
REACTOR = "src/io/reactor.cpp"

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
     "if (!one->in(tenure::phase::held) || one->heap_index == tenure::npos) continue; // released or lost meanwhile",
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
     "        if (!one->in(tenure::phase::held) || one->heap_index == tenure::npos) continue;\n"
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
     "    head_->at_head.store(true, std::memory_order_release); // pairs with the waiter's "
     "acquire\n"
     "    woken.add(head_->waker);",
     ""),
    ("whoever leaves the local queue leaves its place", QUEUE,
     "at != rest_.end()) rest_.erase(at);",
     "at != rest_.end()) return;"),
    ("a head that is held back has no timer", "src/locking/acquire_op.hpp",
     "held_back_pause{5};",
     "held_back_pause{3'600'000};"),
    ("a release does not tell the local head", RELEASING,
     "record_->queue.tell_head(woken, held_back_since);",
     "static_cast<void>(woken), static_cast<void>(held_back_since);"),
    ("a release by the reaper does not tell the local head", CORE,
     "if (freed) job.record->queue.tell_head(woken);",
     "static_cast<void>(freed), static_cast<void>(woken);"),
    ("a wait ignores its deadline", OP,
     "return {act::wait, std::min(until, terms_.deadline), !sample.subscribed};",
     "return {act::wait, until, !sample.subscribed};"),
    ("a waiter ignores the time that it was told", OP,
     "auto next = wait(base::later(now, std::min(retry_after, terms_.longest_wait)), before);",
     "auto next = wait(base::later(now, terms_.longest_wait * 20), before);"),
    ("cancelling wakes nobody", "src/io/operation.hpp",
     "        if (waker_) waker_->wake();",
     ""),
    # --- lanes and the end
    ("whoever leaves the read role passes it to nobody", LANE,
     "        next.woken.add(other->who->as_waker());\n"
     "        return;",
     "        return;"),
    ("the read role is lost", LANE,
     "    read_ = needed ? read::armed : read::none;\n"
     "    if (needed) arm();",
     "    read_ = read::armed;"),
    ("bytes that were not taken are forgotten", LANE,
     "            sent_ += static_cast<std::size_t>(count);",
     "            sent_ = sending_.size();"),
    ("silence is never noticed", LANE,
     "    if (due_since_ == base::never) return base::never;",
     "    return base::never;"),
    ("a lost connection is not made again", LANE,
     "    bool const again = !connecting_;",
     "    bool const again = false;"),
    ("closing releases nothing", CORE,
     "    release_everything();\n"
     "    data_",
     "    data_"),
]

# Hunted by tests/threads under the thread sanitizer.
OF_THREADS = [
    ("closing does not wait for acquisitions under way", ACQUISITION,
     "waker(), blocking(), core_->closing_flag());",
     "waker(), blocking());"),
    ("a descriptor is closed before both roles are back", "src/io/lane.hpp",
     "(read_ == read::none || read_ == read::armed) && write_ != write::busy",
     "true"),
    ("an answer is announced before it is there", MULTIPLEXER,
     "    which->reply = std::move(incoming);\n"
     "    finish(*which, call::state::answered, woken);",
     "    finish(*which, call::state::answered, woken);\n"
     "    which->reply = std::move(incoming);"),
    ("an answer is announced without order", MULTIPLEXER,
     "which.status.store(how, std::memory_order_release);",
     "which.status.store(how, std::memory_order_relaxed);"),
    ("what was posted is taken without the mutex", REACTOR,
     "        std::lock_guard guard(mutex_);\n"
     "        tasks.swap(posted_);",
     "        tasks.swap(posted_);"),
    ("a timer is cancelled without the mutex", REACTOR,
     "    std::lock_guard guard(mutex_);\n"
     "    auto const found = timer_index_.find(which);",
     "    auto const found = timer_index_.find(which);"),
    ("operations that run are forgotten without the mutex", CORE,
     "                std::lock_guard guard(self->listener_mutex_);\n"
     "                if (auto const found",
     "                if (auto const found"),
    ("a wake-up between looking and sleeping is lost", "src/io/parker.cpp",
     "    auto const before = word_.exchange(told);",
     "    auto const before = word_.load();\n"
     "    if (before == awake) return;\n"
     "    word_.store(told);"),
]
