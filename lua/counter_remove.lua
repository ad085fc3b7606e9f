-- Deletes a semaphore or a latch.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 the message; empty:
-- nothing is published, 4 with a record: for how long it is kept, in ms.
-- Returns: 1 = deleted; 2 = deleted, but this user may not publish; 0 = there was none.
-- wire: protocol sections 7.1 and 7.2. What is no number is not deleted. RECORD holds the answer.
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local there = value and 1 or 0
if KEYS[2] then
    if there == 1 then redis.call('del', KEYS[2]) end -- where DEL or SET is refused, nothing has changed
    redis.call('set', KEYS[2], there, 'px', ARGV[4])
end
if there == 1 then redis.call('del', KEYS[1]) end
if there == 1 and ARGV[3] ~= '' and type(redis.pcall(ARGV[1], ARGV[2], ARGV[3])) ~= 'number' then return 2 end
return there
