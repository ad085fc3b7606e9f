-- Counts a latch down, and at zero deletes it and tells the waiters.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 with a record: for
-- how long it is kept, in ms.
-- Returns: what is left; -1 = there is no latch; -2 = nothing is left, but this user may not publish.
-- wire: protocol section 7.2. RECORD holds the answer: a copy of the call counts no more. A server whose memory is full
-- executes what needs some behind any other write of the script: DEL of RECORD is one. (Without RECORD there is none.)
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local count = tonumber(value or 0)
if count <= 0 then -- or it is a semaphore whose permits are all taken
    if KEYS[2] then
        redis.pcall('del', KEYS[2])
        redis.call('set', KEYS[2], '-1', 'px', ARGV[3])
    end
    return -1
end
local left = count - 1
if KEYS[2] then
    local cleared = redis.pcall('del', KEYS[2])
    if left == 0 and type(cleared) ~= 'number' then return redis.call('del', KEYS[2]) end -- nor could it delete the latch
    redis.call('set', KEYS[2], left, 'px', ARGV[3])
end
local counted = redis.pcall(left == 0 and 'del' or 'decr', KEYS[1])
if type(counted) ~= 'number' then
    if KEYS[2] then redis.call('del', KEYS[2]) end
    if left == 0 then return redis.call('del', KEYS[1]) end -- the same refusal, which names the command
    return redis.call('decr', KEYS[1])
end
if left == 0 and type(redis.pcall(ARGV[1], ARGV[2], '0')) ~= 'number' then return -2 end
return left
