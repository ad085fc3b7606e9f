-- Enters a lock that is held once more, with a new token.
-- KEYS: 1 NAME, 2 token counter. ARGV: 1 lease in ms, 2 OWNER, 3 count, 4 (may be left out) for how many ms the counter stays
-- at least.
-- Returns: {token} = written; 0 = OWNER does not hold the lock.
-- wire: protocol section 5.3. The count is absolute, the lease is never shortened, and a token that nobody gets does no
-- harm: so a repeat is harmless. The counter is written first: where that is refused, nothing has changed.
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
local token = redis.call('incr', KEYS[2])
if token > 9007199254740991 then token = redis.call('get', KEYS[2]) end -- a number of Lua would not be exact
if ARGV[4] and redis.call('pttl', KEYS[2]) < tonumber(ARGV[4]) then redis.call('pexpire', KEYS[2], ARGV[4]) end
redis.call('hset', KEYS[1], ARGV[2], ARGV[3])
local left = redis.call('pttl', KEYS[1])
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return {token}
