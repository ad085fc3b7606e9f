-- Ends the holds of all who read, or that of the one who writes and what it reads beside, and wakes the waiters.
-- KEYS: 1 NAME, 2 prefix of hold keys. ARGV: 1 mode: read or write, 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 the message: 0 of read holds, 1 of a write hold.
-- Returns: 1 = it was held so; 2 = it was, but this user may not publish; 0 = it is free, or held otherwise.
-- wire: protocol section 6.4.
if redis.call('hget', KEYS[1], 'mode') ~= ARGV[1] then return 0 end
local fields = redis.call('hgetall', KEYS[1])
redis.call('del', KEYS[1])
for i = 1, #fields, 2 do
    for n = 1, math.min(tonumber(fields[i + 1]) or 0, 10000) do -- no owner has more
        redis.call('del', KEYS[2] .. fields[i] .. ':rwlock_timeout:' .. n)
    end
end
local told = redis.pcall(ARGV[2], ARGV[3], ARGV[4])
if type(told) == 'table' and told.err then return 2 end
return 1
