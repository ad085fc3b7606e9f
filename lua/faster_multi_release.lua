-- Ends a hold of values of a group, whatever its count, and wakes the waiters.
-- KEYS: 1 GROUP. ARGV: 1 OWNER, 2 the publish command (PUBLISH or SPUBLISH), 3 channel, then the fields of the values.
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = OWNER did not hold all of them. Those that it held are released then too, and waiters are told.
-- wire: protocol section 9.3; 0 is UNLOCK_MESSAGE. What OWNER has left of a value that another one has taken over goes too.
local held = 0
for i = 4, #ARGV do
    local hold = ARGV[i] .. ':' .. ARGV[1]
    if redis.call('hget', KEYS[1], ARGV[i]) == ARGV[1] then
        redis.call('hdel', KEYS[1], ARGV[i], hold .. ':expire_time', hold .. ':lock_count')
        held = held + 1
    else
        redis.call('hdel', KEYS[1], hold .. ':expire_time', hold .. ':lock_count')
    end
end
if held == 0 then return 0 end
local told = redis.pcall(ARGV[2], ARGV[3], 0)
if held < #ARGV - 3 then return 0 end
if type(told) == 'table' and told.err then return -1 end
return 1 + told
