-- Deletes a semaphore whose permits have ids, and those.
-- KEYS: 1 NAME, 2 timeouts, 3 (may be left out) RECORD. ARGV: 1 with a record: for how long it is kept, in ms.
-- Returns: 1 = deleted; 0 = there was none.
-- wire: protocol section 7.3. What is no such semaphore is not deleted. RECORD holds the answer.
local done = KEYS[3] and redis.call('get', KEYS[3])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
redis.call('zcount', KEYS[2], '-inf', '-inf') -- of another type: the error
local there = redis.call('exists', KEYS[1], KEYS[2]) > 0 and 1 or 0
if KEYS[3] then
    if there == 1 then redis.call('del', KEYS[3]) end -- where DEL or SET is refused, nothing has changed
    redis.call('set', KEYS[3], there, 'px', ARGV[1])
end
if there == 1 then redis.call('del', KEYS[1], KEYS[2]) end
return there
