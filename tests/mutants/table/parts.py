"""What the simulator cannot see, or does not: unit tests find these."""
from table.files import KEEPER, LANE, RECIPE, RECORDS, REGISTRY, TABLE

MUTANTS = [
    ("a busy lane counts as silent", LANE,
     "    heard_ = now;\n"
     "    replies_.feed",
     "    replies_.feed"),
    ("pauses grow although the last connection was of use", LANE,
     "        failures_ = 0; // it is of use: the next one need not wait\n",
     ""),
    ("bytes that were not taken count as sent", LANE,
     "            traffic_->out.not_taken(sending_.size() - sent_);\n",
     ""),
    ("an answer that came just before its caller left is dropped", "src/io/call_lane.cpp",
     "    if (answered && late) late(call->reply);\n",
     ""),
    ("the alarm of an asynchronous call is set too late", "src/io/operation.cpp",
     "until_ - now < 2 * look;",
     "until_ - now < look / 2;"),
    ("small commands are kept back for more", "src/io/connector.cpp",
     "        ::setsockopt(fd(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);\n",
     ""),
    ("database 1 is not selected", "src/connection/connect_op.cpp",
     "if (words.database != 0) {",
     "if (words.database > 1) {"),
    ("too many linger: UNSUBSCRIBE waits for the timer", "src/io/subscriber.cpp",
     "    if (gave_up_another) ",
     "    if (false) "),
    ("one refusal answers for one channel of an UNSUBSCRIBE", "src/locking/subscription_registry.cpp",
     "        for (auto behind = answer.behind; behind > 0; --behind) next_answer();\n",
     ""),
    ("SUNSUBSCRIBE names channels of several slots", "src/locking/subscription_registry.hpp",
     "return sharded_ ? 1 : given_up_together;",
     "return given_up_together;"),
    ("who subscribes first asks before that is confirmed", "src/locking/acquire_op.cpp",
     "return until > terms_.began ? wait(until, {}, awaited::any) : attempt();",
     "return attempt();"),
    ("a watchdog's level that joined is suspect too late", KEEPER,
     "the key's present life is unknown, so renew now\n"
     "        tenure->suspect_at = base::later(sent_at, settings_.watchdog / 2);",
     "the key's present life is unknown, so renew now\n"
     "        tenure->suspect_at = base::later(sent_at, settings_.watchdog * 2);"),
    ("names that nobody uses are kept", RECORDS,
     "        std::erase_if(records_, [](auto const& one) { return one.second.expired(); });\n",
     ""),
    ("a watch that a busy server refused is not asked for again", REGISTRY,
     "    if (!channel->is_refused_for_now() || !up_) return false;\n"
     "    ask(channel);\n"
     "    return true;",
     "    return channel == nullptr;"),
    ("a message that is forbidden is sent again", RECIPE,
     "return {kind::not_held, 0, sent || forbidden};",
     "return {kind::not_held, 0, sent};"),
    ("a turn goes on although others have the lock", "src/locking/process_turn.hpp",
     "        after_release_.on_busy();\n"
     "        begin_anew();\n",
     "        after_release_.on_busy();\n"),
    ("a caller that leaves forgets that its request may come late", "src/io/acquisition.cpp",
     "    if (call_.late_copy_possible())\n"
     "        core_->locked([&](lock_table& table, base::wake_list&) { table.expect_late_copy(*tenure_); });\n"
     "    return finish(last);",
     "    return finish(last);"),
]
