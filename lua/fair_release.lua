-- Ends a hold, whatever its count, and a place in the queue; then wakes the first of the queue, if the lock is free.
-- KEYS: 1 NAME, 2 queue, 3 timeouts. ARGV: 1 OWNER (empty: whoever holds it), 2 the publish command (PUBLISH or SPUBLISH),
-- 3 channel, 4 for how many ms a waiter that does not ask keeps its place. Of a minimum hold also 5 for how many ms NAME is to
-- stay, and 6 whose it is then (protocol section 1.9).
-- Returns: 1 = released; -1 (by force: 2) = released, but this user may not publish: the first of the queue sleeps until its
-- timer; 0 = OWNER, or anybody, did not hold the lock. OWNER, or by force the first, has no place in the queue any more.
-- wire: protocol section 5.4; 0 is UNLOCK_MESSAGE. The hold ends behind all else that may be refused, so that none that has
-- ended is reported as an error. Of an end by force the holder is told on the channel of the lock itself, as with other kinds.
local by_force = ARGV[1] == ''
local held
if by_force then
    held = redis.call('hlen', KEYS[1]) > 0
else
    held = redis.call('hexists', KEYS[1], ARGV[1]) == 1
end
local waited = not by_force and redis.call('zscore', KEYS[3], ARGV[1])
if waited then
    local behind = false
    local all = redis.call('lrange', KEYS[2], '0', '-1')
    redis.call('lrem', KEYS[2], '0', ARGV[1]) -- first: a server whose memory is full executes ZADD behind another write
    for _, waiter in ipairs(all) do
        local ends = behind and redis.call('zscore', KEYS[3], waiter)
        if ends then redis.call('zadd', KEYS[3], string.format('%.17g', ends - ARGV[4]), waiter) end
        behind = behind or waiter == ARGV[1]
    end
    redis.call('zrem', KEYS[3], ARGV[1]) -- last: a call that was refused meanwhile goes on when it is repeated
end
if not held and not by_force and (not waited or redis.call('exists', KEYS[1]) == 1) then return 0 end

local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
-- By force the first of the queue of a free lock is removed, whoever it is: it has not acquired it, and keeps others waiting.
local removes_first = by_force and not held
local first = redis.call('lindex', KEYS[2], '0')
while first do
    local ends = redis.call('zscore', KEYS[3], first)
    if ends and tonumber(ends) > now and not removes_first then break end
    removes_first = false
    -- It may be alive: Redisson's acquisitions shorten the times of all by their own. Told, it asks for another place.
    if ends then redis.pcall(ARGV[2], ARGV[3] .. ':' .. first, '0') end
    redis.call('lpop', KEYS[2])
    redis.call('zrem', KEYS[3], first)
    first = redis.call('lindex', KEYS[2], '0')
end
if held and ARGV[5] then
    redis.call('pexpire', KEYS[1], math.max(tonumber(ARGV[5]), 1000)) -- as in lock_release
    redis.call('hset', KEYS[1], ARGV[6], '1')
    redis.call('hdel', KEYS[1], ARGV[1])
    if tonumber(ARGV[5]) < 1000 then redis.call('pexpire', KEYS[1], ARGV[5]) end
elseif held then
    redis.call('del', KEYS[1])
end
local told = 0
if first then told = redis.pcall(ARGV[2], ARGV[3] .. ':' .. first, '0') end
if by_force and held then redis.pcall(ARGV[2], ARGV[3], '0') end
if not held then return 0 end
if type(told) == 'table' and told.err then return by_force and 2 or -1 end
return 1
