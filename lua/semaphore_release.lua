-- Adds permits to a semaphore, or takes them away, and tells the waiters how many there are.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 how many, 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 `1`: only if there is a key, 5 with a record: for how long it is kept, in ms.
-- Returns: 3 + n = done, and n connections heard of it; 2 = done, but this user may not publish; 1 = a copy of the call has
-- done it; 0 = there is no key.
-- wire: protocol section 7.1. RECORD holds the answer: a copy of the call changes nothing more. A server whose memory is full
-- executes what needs some behind any other write of the script: DEL of RECORD is one. (Without RECORD there is none.)
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1])
if not value and ARGV[4] == '1' then
    if KEYS[2] then
        redis.pcall('del', KEYS[2])
        redis.call('set', KEYS[2], '0', 'px', ARGV[5])
    end
    return 0
end
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
if KEYS[2] then
    redis.pcall('del', KEYS[2])
    redis.call('set', KEYS[2], '1', 'px', ARGV[5])
end
local added = redis.pcall('incrby', KEYS[1], ARGV[1])
if type(added) ~= 'number' then
    if KEYS[2] then redis.call('del', KEYS[2]) end
    return redis.call('incrby', KEYS[1], ARGV[1]) -- the same refusal, which names the command
end
local heard = redis.pcall(ARGV[2], ARGV[3], added)
return type(heard) == 'number' and 3 + heard or 2
