-- Takes all permits of a semaphore.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 with a record: for how long it is kept, in ms.
-- Returns: how many were taken; below zero: so many were missing, and are not any more.
-- wire: protocol section 7.1. RECORD holds the answer: a copy of the call takes nothing more. The expiry of NAME stays.
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1]) or '0'
if not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local available = tonumber(value)
if KEYS[2] then
    redis.pcall('del', KEYS[2]) -- a server whose memory is full executes SET and DECRBY behind another write
    redis.call('set', KEYS[2], available, 'px', ARGV[1])
end
if available == 0 then return 0 end
local taken = redis.pcall('decrby', KEYS[1], available)
if type(taken) == 'number' then return available end
if KEYS[2] then redis.call('del', KEYS[2]) end
return redis.call('decrby', KEYS[1], available) -- the same refusal, which names the command
