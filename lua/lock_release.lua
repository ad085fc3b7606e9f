-- Ends a hold, whatever its count, and wakes the waiters.
-- KEYS: 1 NAME, 2 (left out by a kind of lock without one) channel. ARGV: 1 OWNER; with a channel also 2 the publish command
-- (PUBLISH or SPUBLISH), 3 (0 if left out) the message: zero, in one of the spellings of protocol section 0.5.
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = not the holder.
-- wire: protocol section 1.5 without the latch; 0 is UNLOCK_MESSAGE. DEL is the first write: where it is refused, nothing
-- has changed.
if redis.call('hexists', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('del', KEYS[1])
if not KEYS[2] then return 1 end
local told = redis.pcall(ARGV[2], KEYS[2], ARGV[3] or 0)
if type(told) == 'table' and told.err then return -1 end
return 1 + told
