-- Ends anybody's hold of these values of a group, and of no others, and wakes the waiters.
-- KEYS: 1 GROUP. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, then the fields of the values.
-- Returns: 1 = one of them was held; 2 = it was, but this user may not publish; 0 = they were free.
-- wire: protocol section 9.3. A value that is free is no error, as it is with Redisson.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local held = false
for i = 3, #ARGV do
    local owner = redis.call('hget', KEYS[1], ARGV[i])
    if owner then
        local hold = ARGV[i] .. ':' .. owner
        held = (tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0) or 0) > now or held
        redis.call('hdel', KEYS[1], ARGV[i], hold .. ':expire_time', hold .. ':lock_count')
    end
end
if not held then return 0 end
local told = redis.pcall(ARGV[1], ARGV[2], '0')
if type(told) == 'table' and told.err then return 2 end
return 1
