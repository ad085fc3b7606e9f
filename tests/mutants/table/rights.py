"""A user who lacks the right to a command of a script: what a call that is refused half-way leaves behind."""
from table.files import (COUNTER_REMOVE, FAIR_RELEASE, FASTER_MULTI_RELEASE, LATCH_COUNT_DOWN, PERMIT_ACQUIRE, PERMIT_REMOVE,
                         READ_WRITE_RELEASE, SEMAPHORE_UNDO)

WORDS = ("--kind", "read_write")

MUTANTS = [
    ("a minimum hold of values begins where it cannot be ended", FASTER_MULTI_RELEASE,
     "    redis.call('hdel', KEYS[1], '') -- no field",
     "    -- no field"),
    ("a fair lock is free before its release is certain", FAIR_RELEASE,
     "local waited = not by_force and",
     "if held and not ARGV[5] then redis.call('del', KEYS[1]) end\nlocal waited = not by_force and"),
    ("a waiter whose leaving was refused half-way has left", FAIR_RELEASE,
     "    local behind = false\n",
     "    redis.call('zrem', KEYS[3], ARGV[1])\n    local behind = false\n"),
    ("a reader whose release was refused half-way is released", READ_WRITE_RELEASE,
     "    delete_own_hold_keys()\n    redis.call('hdel', KEYS[1], ARGV[1])\n",
     "    redis.call('hdel', KEYS[1], ARGV[1])\n    delete_own_hold_keys()\n"),
    ("permits are taken whose acquisition is refused", PERMIT_ACQUIRE,
     "if expiry > 0 and type(",
     "if false and type("),
    ("what was to be undone is forgotten where that is refused", SEMAPHORE_UNDO,
     "redis.pcall('pexpire', KEYS[2], ARGV[4])",
     "redis.pcall('del', KEYS[2])"),
    ("what is given back without its record can be given back again", SEMAPHORE_UNDO,
     "    if taken then redis.call('incrby', KEYS[1], -ARGV[1]) end",
     "   "),
    ("a semaphore is deleted, and the record of that refused", COUNTER_REMOVE,
     "local there = value and 1 or 0\n",
     "local there = value and 1 or 0\nif there == 1 then redis.call('del', KEYS[1]) end\n"),
    ("a semaphore of permits with ids is deleted, and the record of that refused", PERMIT_REMOVE,
     "if KEYS[3] then\n",
     "if there == 1 then redis.call('del', KEYS[1], KEYS[2]) end\nif KEYS[3] then\n"),
    ("a latch that cannot be deleted counts as counted down", LATCH_COUNT_DOWN,
     "if left == 0 and type(cleared) ~= 'number'",
     "if false"),
]
