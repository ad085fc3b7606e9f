"""The lock that its owner cannot acquire twice."""
from table.files import ACQUISITION, CLIENT, NON_REENTRANT, TABLE

# What the simulator is asked for.
WORDS = ("--kind", "non_reentrant")

MUTANTS = [
    ("a lock that is not re-entrant is entered again", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     ""),
    ("a lock that is not to be re-entrant is the re-entrant one", CLIENT,
     "locking::non_reentrant_recipe",
     "locking::reentrant_recipe"),
    ("who asks again for what it holds waits for itself", ACQUISITION,
     "    case kind::not_again:\n"
     "    case kind::upgrade:\n"
     "    case kind::overlap: forbidden_to_ = tenure_->owner_id().str(); return end_at_once(errc::would_deadlock);\n"
     "    case kind::owner_busy:\n",
     "    case kind::upgrade:\n"
     "    case kind::overlap: forbidden_to_ = tenure_->owner_id().str(); return end_at_once(errc::would_deadlock);\n"
     "    case kind::not_again:\n"
     "    case kind::owner_busy:\n"),
    ("who asks again for what it holds is told that others have it", ACQUISITION,
     "return end_at_once(errc::would_deadlock);",
     "return end_at_once(what == kind::not_again ? errc::busy : errc::would_deadlock);"),
    ("an owner is refused what another one of its process holds", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     "    if (auto one = holder(*record, now); one && !record->how->reentrant) return {kind::not_again, std::move(one)};\n"),
    ("an owner whose hold is over is refused as if it held it", TABLE,
     "    if (mine && !mine->holds(now)) {\n",
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n"
     "    if (mine && !mine->holds(now)) {\n"),
    ("an owner that was refused a second time cannot release", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     "    if (mine) mine->in_operation = true;\n"
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n"),
    ("an owner that was refused a second time has lost what it holds", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     "    if (mine && !record->how->reentrant) {\n"
     "        lose(mine, now, woken);\n"
     "        return {kind::not_again, std::move(mine)};\n"
     "    }\n"),
    ("an owner is refused while its first request is under way", TABLE,
     "return {kind::owner_busy, std::move(mine)};",
     "return {record->how->reentrant ? kind::owner_busy : kind::not_again, std::move(mine)};"),
    ("a lock that is not re-entrant has a channel of its own", NON_REENTRANT,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.channel_prefix = \"redisson_non_reentrant_lock__channel\";\n"),
    ("a plain release of a lock that is not re-entrant tells nobody", NON_REENTRANT,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.plain = &owner_hash::unannounced;\n"),
]
