-- Ends a hold of a read-write lock, whatever its count, and wakes the waiters if somebody may enter now.
-- KEYS: 1 NAME, 2 prefix of hold keys, 3 channel. ARGV: 1 OWNER, 2 the publish command (PUBLISH or SPUBLISH), 3 the message: 0
-- of a read hold, 1 of a write hold.
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = not held.
-- wire: protocol section 6.4. Readers whose hold keys have all expired are dead: they keep nobody out.
local count = redis.call('hget', KEYS[1], ARGV[1])
if not count then return 0 end
local function hold(owner, n) return KEYS[2] .. ':' .. owner .. ':rwlock_timeout:' .. n end
local writes = ARGV[3] == '1'
if not writes then
    for n = 1, tonumber(count) do redis.call('del', hold(ARGV[1], n)) end
end
redis.call('hdel', KEYS[1], ARGV[1])
local left = redis.call('hgetall', KEYS[1])
local mode
local longest = 0 -- of those who still read
for i = 1, #left, 2 do
    if left[i] == 'mode' then
        mode = left[i + 1]
    else
        for n = tonumber(left[i + 1]) or 0, 1, -1 do
            longest = math.max(longest, redis.call('pttl', hold(left[i], n)))
        end
    end
end
if mode == 'write' and not writes then return 1 end -- its owner goes on writing
if longest > 0 then
    if writes then redis.call('hset', KEYS[1], 'mode', 'read') end
    redis.call('pexpire', KEYS[1], longest)
    if not writes then return 1 end -- nobody can enter who could not before
else
    redis.call('del', KEYS[1])
end
local told = redis.pcall(ARGV[2], KEYS[3], ARGV[3])
if type(told) == 'table' and told.err then return -1 end
return 1 + told
