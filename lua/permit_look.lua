-- Looks at a semaphore whose permits have ids, and at one of them. Those whose lease is over come back first.
-- KEYS: 1 NAME, 2 timeouts. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 (may be left out) an id.
-- Returns: how many can be taken; how many are taken; what is left of the lease of that permit, in ms (-1: it is for
-- ever, -2: there is none); whether the semaphore is set.
-- wire: protocol section 7.3. The time is the server's.
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ended = redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', '0', '1000')
if #ended > 0 then
    redis.pcall('zrem', KEYS[2], '') -- a server whose memory is full executes INCRBY behind another write
    if value then value = redis.call('incrby', KEYS[1], #ended) end
    for _, id in ipairs(ended) do
        if type(redis.pcall('zrem', KEYS[2], id)) ~= 'number' then -- the number must not change alone
            if value then redis.call('incrby', KEYS[1], -#ended) end
            return redis.call('zrem', KEYS[2], id) -- the same refusal, which names the command
        end
    end
    if value and value > 0 then redis.pcall(ARGV[1], ARGV[2], value) end
    if value and #ended == 1000 then value = value + redis.call('zcount', KEYS[2], '-inf', now) end -- they come back later
end
local left = -2
local ends = ARGV[3] and redis.call('zscore', KEYS[2], ARGV[3])
if ends and tonumber(ends) >= 922337203685477 then left = -1
elseif ends and tonumber(ends) > now then left = math.ceil(ends - now) end
return {tonumber(value or 0), redis.call('zcount', KEYS[2], '(' .. now, '+inf'), left, value and 1 or 0}
