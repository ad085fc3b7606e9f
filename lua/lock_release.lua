-- Ends a hold, whatever its count, and wakes the waiters.
-- KEYS: 1 NAME. ARGV: 1 OWNER; of a kind of lock with a channel also 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 (0 if left out) the message: zero, in one of the spellings of protocol section 0.5. Of a minimum hold also 5 for how many
-- ms the key is to stay, and 6 whose it is then (protocol section 1.9); 2 to 4 are empty then where there is no channel.
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = not the holder.
-- wire: protocol section 1.5 without the latch; 0 is UNLOCK_MESSAGE. DEL is the first write: where it is refused, nothing
-- has changed. Whoever waits is told of a lease that became shorter, too. That of a minimum hold is a second at least until
-- HSET is done, as in lock_set_count.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[5] then
    redis.call('pexpire', KEYS[1], math.max(tonumber(ARGV[5]), 1000))
    redis.call('hset', KEYS[1], ARGV[6], '1')
    redis.call('hdel', KEYS[1], ARGV[1])
    if tonumber(ARGV[5]) < 1000 then redis.call('pexpire', KEYS[1], ARGV[5]) end
else
    redis.call('del', KEYS[1])
end
if (ARGV[3] or '') == '' then return 1 end
local told = redis.pcall(ARGV[2], ARGV[3], ARGV[4] or 0)
if type(told) == 'table' and told.err then return -1 end
return 1 + told
