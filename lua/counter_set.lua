-- Sets a semaphore or a latch that is not there, and tells the waiters.
-- KEYS: 1 NAME, 2 channel, 3 (may be left out) RECORD. ARGV: 1 the number, 2 the publish command (PUBLISH or SPUBLISH),
-- 3 the message, 4 an expiry in ms; 0: none, 5 with a record: for how long it is kept, in ms.
-- Returns: 1 = set; 2 = set, but this user may not publish; 0 = there is a key already, of whatever type.
-- wire: protocol sections 7.1 and 7.2. RECORD holds the answer.
local done = KEYS[3] and redis.call('get', KEYS[3])
if done then return tonumber(done) end
local free = 1 - redis.call('exists', KEYS[1])
if KEYS[3] then redis.call('set', KEYS[3], free, 'px', ARGV[5]) end
if free == 0 then return 0 end
local set
if ARGV[4] == '0' then set = redis.pcall('set', KEYS[1], ARGV[1])
else set = redis.pcall('set', KEYS[1], ARGV[1], 'px', ARGV[4]) end
if set.err then
    if KEYS[3] then redis.call('del', KEYS[3]) end
    if ARGV[4] == '0' then return redis.call('set', KEYS[1], ARGV[1]) end -- the same refusal, which names the command
    return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[4])
end
if type(redis.pcall(ARGV[2], KEYS[2], ARGV[3])) ~= 'number' then return 2 end
return 1
