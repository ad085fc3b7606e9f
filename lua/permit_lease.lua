-- Sets the lease of permits anew. Those whose lease is over come back to the semaphore first.
-- KEYS: 1 NAME, 2 timeouts. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 lease in ms; 0: for ever, from
-- 4 on: the ids.
-- Returns: the positions, from 1, of the ids that are not there. Where a lease was shortened, 1 is published: whoever waits
-- asks, and learns when it ends now.
-- wire: protocol section 7.3. The time is the server's. A server whose memory is full executes INCRBY and ZADD behind any other
-- write of the script, and ZREM of a member that cannot be there is one.
local value = redis.call('get', KEYS[1])
if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.pcall('zrem', KEYS[2], '')
local ended = redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', '0', '1000')
if #ended > 0 then
    if value then value = redis.call('incrby', KEYS[1], #ended) end
    for _, id in ipairs(ended) do
        if type(redis.pcall('zrem', KEYS[2], id)) ~= 'number' then -- the number must not change alone
            if value then redis.call('incrby', KEYS[1], -#ended) end
            return redis.call('zrem', KEYS[2], id) -- the same refusal, which names the command
        end
    end
    if value and value > 0 then redis.pcall(ARGV[1], ARGV[2], value) end
end
local ends = ARGV[3] == '0' and '922337203685477' or now + tonumber(ARGV[3])
local missing = {}
local shorter = false
for i = 4, #ARGV do
    local before = redis.call('zscore', KEYS[2], ARGV[i])
    if not before or tonumber(before) <= now then table.insert(missing, i - 3)
    else
        redis.call('zadd', KEYS[2], ends, ARGV[i])
        shorter = shorter or tonumber(ends) < tonumber(before)
    end
end
if shorter then redis.pcall(ARGV[1], ARGV[2], '1') end -- not 0, by which Redisson wakes no thread
return missing
