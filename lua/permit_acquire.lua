-- Takes permits of a semaphore whose permits have ids and leases, all or none. Those whose lease is over come back first.
-- KEYS: 1 NAME, 2 timeouts, 3 RECORD. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 lease in ms; 0: for ever,
-- from 4 on: an id of 16 bytes for each permit.
-- Returns: [LEFT, NEXT] = taken, and LEFT more can be taken, of which it says 1,000,000,000 at most; nil = taken by an earlier
-- copy of this call; an integer, NEXT = there are fewer. NEXT: where LEFT is not above 0, the next lease ends in so many ms
-- (-1: none does). The error TOOFEW: several were asked for, more than there are, taken or not; nothing was written. Not where
-- there is none at all: a semaphore that was set to 0 is paused.
-- wire: protocol section 7.3. The time is the server's. An id that is there tells a copy of the call; a copy that comes after
-- the end of its permits finds RECORD and takes nothing.
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local never = '922337203685477'
local ends = ARGV[3] == '0' and never or string.format('%d', now + ARGV[3])
local soonest = redis.call('zrange', KEYS[2], '0', '0', 'withscores')[2]
local taken = soonest and redis.call('zscore', KEYS[2], ARGV[4])
if taken and tonumber(taken) > now then
    for i = 4, #ARGV do
        local before = redis.call('zscore', KEYS[2], ARGV[i])
        if before and tonumber(before) < tonumber(ends) then redis.call('zadd', KEYS[2], ends, ARGV[i]) end
    end
    return nil
end

local ended = {}
if soonest and tonumber(soonest) <= now then
    ended = redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', '0', '1000')
end
local wanted = #ARGV - 3
local free = value and value + #ended or 0
if value and wanted > 1 and free < wanted then
    local total = value + redis.call('zcount', KEYS[2], '-inf', '+inf')
    if total > 0 and total < wanted then
        return redis.error_reply(string.format('TOOFEW %d in all', total))
    end
end
local enough = value and free >= wanted and redis.call('exists', KEYS[3]) == 0
if enough then free = free - wanted end
local expiry = enough and redis.call('pttl', KEYS[1]) or -1
local change = enough and #ended - wanted or #ended
-- Whatever is taken, the number is written first, also where it stays: a server whose memory is full refuses that.
if change == -1 then redis.call('decr', KEYS[1]) -- the usual case, a quicker command
elseif value and (change ~= 0 or enough) then redis.call('incrby', KEYS[1], change) end
if expiry > 0 and type(redis.pcall('pexpire', KEYS[3], expiry)) ~= 'number' then -- RECORD, which is not there: may it?
    redis.call('incrby', KEYS[1], -change)
    return redis.call('pexpire', KEYS[3], expiry) -- the same refusal, which names the command
end
for _, id in ipairs(ended) do
    if type(redis.pcall('zrem', KEYS[2], id)) ~= 'number' then -- the number must not change alone
        if value and change ~= 0 then redis.call('incrby', KEYS[1], -change) end
        return redis.call('zrem', KEYS[2], id) -- the same refusal, which names the command
    end
end
if enough then
    for i = 4, #ARGV do
        if type(redis.pcall('zadd', KEYS[2], ends, ARGV[i])) ~= 'number' then
            redis.call('incrby', KEYS[1], wanted)
            return redis.call('zadd', KEYS[2], ends, ARGV[i])
        end
    end
    if expiry > 0 then redis.call('pexpire', KEYS[2], expiry) end
end
if #ended > 0 and free > 0 then redis.pcall(ARGV[1], ARGV[2], free) end
if enough and free > 0 then return {math.min(free, 1000000000), -1} end -- an integer also where a float is not exact
if #ended > 0 then
    soonest = redis.call('zrange', KEYS[2], '0', '0', 'withscores')[2]
elseif enough and (not soonest or tonumber(ends) < tonumber(soonest)) then
    soonest = ends
end
local next_end = -1
if value and soonest and tonumber(soonest) < tonumber(never) then next_end = math.max(math.ceil(soonest - now), 1) end
if enough then return {0, next_end} end
return next_end
