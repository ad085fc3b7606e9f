-- Writes the hold count of a fenced lock that is held: a re-entry, which counts as an acquisition, or a partial release.
-- KEYS: 1 NAME, 2 token counter. ARGV: 1 lease in ms, 2 OWNER, 3 count.
-- Returns: 1 = written; 0 = OWNER does not hold the lock.
-- wire: protocol section 5.3: Java's re-entry counts the counter on; the holder's own token stays. The count is absolute, and
-- the lease is never shortened, so that a repeat is harmless.
local held = redis.call('hget', KEYS[1], ARGV[2])
if not held then return 0 end
if tonumber(ARGV[3]) > tonumber(held) then redis.call('incr', KEYS[2]) end
redis.call('hset', KEYS[1], ARGV[2], ARGV[3])
local left = redis.call('pttl', KEYS[1])
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return 1
