-- Ends anybody's hold and wakes the waiters.
-- KEYS: 1 NAME. ARGV, of a kind of lock with a channel: 1 the publish command (PUBLISH or SPUBLISH), 2 channel.
-- Returns: 1 = it was held; 2 = it was held, but this user may not publish; 0 = it was free.
-- wire: protocol section 1.6. HLEN refuses a key of another type, which DEL would remove.
if redis.call('hlen', KEYS[1]) == 0 then return 0 end
redis.call('del', KEYS[1])
if not ARGV[2] then return 1 end
local told = redis.pcall(ARGV[1], ARGV[2], '0')
if type(told) == 'table' and told.err then return 2 end
return 1
