"""The fair lock that its owner cannot acquire twice."""
from table.files import ACQUISITION, CLIENT, NON_REENTRANT_FAIR, TABLE

# What the simulator is asked for.
WORDS = ("--kind", "non_reentrant_fair")

MUTANTS = [
    ("a fair lock that is not to be re-entrant is entered again", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     ""),
    ("a fair lock that is not re-entrant has no queue", NON_REENTRANT_FAIR,
     "auto made = fair::make_recipe(",
     "auto made = owner_hash::make_recipe("),
    ("a fair lock that is not re-entrant is none that is fair", CLIENT,
     "locking::non_reentrant_fair_recipe",
     "locking::non_reentrant_recipe"),
    ("a fair lock that is not re-entrant is taken by plain commands", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.plain = &owner_hash::announced;\n"),
    ("the release of a fair lock that is not re-entrant wakes nobody of its queue", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.release = owner_hash::release;\n"),
    ("the end by force of a fair lock that is not re-entrant wakes nobody of its queue", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.force_release = owner_hash::force_release;\n"),
    ("a fair lock that is not re-entrant is acquired past its queue", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.acquire = owner_hash::acquire;\n"),
    ("waiters of a fair lock that is not re-entrant queue in their process", NON_REENTRANT_FAIR,
     "    made.reentrant = false;\n",
     "    made.reentrant = false;\n"
     "    made.waiter_channel = nullptr;\n"),
    ("who asks again for the fair lock that it holds waits for itself", ACQUISITION,
     "    case kind::not_again:\n"
     "    case kind::upgrade:\n"
     "    case kind::overlap: forbidden_to_ = tenure_->owner_id().str(); return end_at_once(errc::would_deadlock);\n"
     "    case kind::owner_busy:\n",
     "    case kind::upgrade:\n"
     "    case kind::overlap: forbidden_to_ = tenure_->owner_id().str(); return end_at_once(errc::would_deadlock);\n"
     "    case kind::not_again:\n"
     "    case kind::owner_busy:\n"),
    ("who asks again for the fair lock that it holds is told that others have it", ACQUISITION,
     "return end_at_once(errc::would_deadlock);",
     "return end_at_once(what == kind::not_again ? errc::busy : errc::would_deadlock);"),
    ("an owner that was refused a fair lock a second time cannot release it", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     "    if (mine) mine->in_operation = true;\n"
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n"),
    ("an owner that was refused a fair lock a second time has lost it", TABLE,
     "    if (mine && !record->how->reentrant) return {kind::not_again, std::move(mine)};\n",
     "    if (mine && !record->how->reentrant) {\n"
     "        lose(mine, now, woken);\n"
     "        return {kind::not_again, std::move(mine)};\n"
     "    }\n"),
]
