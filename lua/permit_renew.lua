-- Renews permits: prolongs the leases of those of which less is left.
-- KEYS: 1 timeouts. ARGV: 1 lease in ms, from 2 on: the ids.
-- Returns: the positions, from 1, of the ids that are not there.
-- wire: protocol section 7.3. The time is the server's. Its only key is served wherever it is while its slot is moved. A server
-- whose memory is full executes ZADD behind any other write of the script, and ZREM of a member that cannot be there is one.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends = now + tonumber(ARGV[1])
local missing = {}
redis.pcall('zrem', KEYS[1], '')
for i = 2, #ARGV do
    local before = redis.call('zscore', KEYS[1], ARGV[i])
    if not before or tonumber(before) <= now then table.insert(missing, i - 1)
    elseif tonumber(before) < ends then redis.call('zadd', KEYS[1], ends, ARGV[i]) end
end
return missing
