"""The fair lock that its owner cannot acquire twice."""
from table.files import CLIENT, NON_REENTRANT_FAIR

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
]
