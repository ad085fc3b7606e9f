-- Sets how many permits with ids there are in all, or changes that. Those whose lease is over come back first.
-- KEYS: 1 NAME, 2 timeouts, 3 (may be left out) RECORD. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 the
-- number, 4: 1 = so many are to be there, taken ones included; 0 = so many more, 5 with a record: for how long it is kept,
-- in ms.
-- Returns: 1 = done; 2 = done, but this user may not publish.
-- wire: protocol section 7.3. The time is the server's. RECORD holds the answer: a copy of the call changes nothing more.
local done = KEYS[3] and redis.call('get', KEYS[3])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local taken = redis.call('zcount', KEYS[2], '(' .. now, '+inf')
local change = tonumber(ARGV[3])
if ARGV[4] == '1' then
    local ended = redis.call('zcount', KEYS[2], '-inf', now)
    change = change - (value or 0) - taken - ended
end
local free = value and tonumber(value) or 0
if KEYS[3] then redis.call('set', KEYS[3], '1', 'px', ARGV[5]) end
if change ~= 0 or not value then free = redis.pcall('incrby', KEYS[1], change) end
if type(free) ~= 'number' then
    if KEYS[3] then redis.call('del', KEYS[3]) end
    return redis.call('incrby', KEYS[1], change) -- the same refusal, which names the command
end
local told = 0
if change > 0 and free > 0 then told = redis.pcall(ARGV[1], ARGV[2], free) end
return type(told) == 'number' and 1 or 2
