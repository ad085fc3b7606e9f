-- Sets a semaphore or a latch that is not there, and tells the waiters.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 the number, 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 the message, 5 an expiry in ms; 0: none, 6 with a record: for how long it is kept, in ms.
-- Returns: 1 = set; 2 = set, but this user may not publish; 0 = there is a key already, of whatever type.
-- wire: protocol sections 7.1 and 7.2. RECORD holds the answer.
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local free = 1 - redis.call('exists', KEYS[1])
if KEYS[2] then redis.call('set', KEYS[2], free, 'px', ARGV[6]) end
if free == 0 then return 0 end
local set
if ARGV[5] == '0' then set = redis.pcall('set', KEYS[1], ARGV[1])
else set = redis.pcall('set', KEYS[1], ARGV[1], 'px', ARGV[5]) end
if set.err then
    if KEYS[2] then redis.call('del', KEYS[2]) end
    if ARGV[5] == '0' then return redis.call('set', KEYS[1], ARGV[1]) end -- the same refusal, which names the command
    return redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[5])
end
if type(redis.pcall(ARGV[2], ARGV[3], ARGV[4])) ~= 'number' then return 2 end
return 1
