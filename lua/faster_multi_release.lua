-- Ends a hold of values of a group, whatever its count, and wakes the waiters.
-- KEYS: 1 GROUP. ARGV: 1 OWNER, 2 the publish command (PUBLISH or SPUBLISH), 3 channel, of a minimum hold 4 for how many ms the
-- values are to stay (else empty), and 5 whose they are then (protocol section 1.9), then the fields of the values.
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = OWNER did not hold all of them. Those that it held are released at once then, and waiters are told.
-- wire: protocol section 9.3; 0 is UNLOCK_MESSAGE. What OWNER has left of a value that another one has taken over goes too.
-- A minimum hold leaves fields for as long as the group is in use: each such release removes some whose lease is over, and
-- where no other value is held, the key lasts no longer than the minimum hold and a second. In the last millisecond of the key
-- Redisson does not prolong it, and whoever waits for the end of a lease takes the values just then.
local first = 6
local lasts = tonumber(ARGV[4]) and tonumber(ARGV[4]) + 1000
local function remove_ended(cursor, own, now) -- whether all fields have been seen, and no other value is held
    local alone = true
    local page = redis.pcall('hscan', KEYS[1], cursor, 'count', '30') -- without that right the release is one all the same
    if page.err then return true, false end
    for i = 1, #page[2], 2 do
        local field, owner = page[2][i], page[2][i + 1]
        if not own[field] and not string.find(field, ':expire_time$') and not string.find(field, ':lock_count$') then
            local hold = field .. ':' .. owner
            local ends = tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0) or 0
            if ends > now then alone = false
            else redis.call('hdel', KEYS[1], field, hold .. ':expire_time', hold .. ':lock_count') end
        end
    end
    return page[1] == '0', alone
end
local held = 0
for i = first, #ARGV do
    if redis.call('hget', KEYS[1], ARGV[i]) == ARGV[1] then held = held + 1 end
end
local all = held == #ARGV - first + 1
local ends -- of the minimum hold
local time = all and ARGV[4] ~= '' and redis.call('time')
local now = time and time[1] * 1000 + math.floor(time[2] / 1000)
if time then
    ends = now + tonumber(ARGV[4])
    redis.call('hdel', KEYS[1], '') -- no field has that name: where HDEL is refused, nothing has changed
    -- Also where it stays: a server whose memory is full executes HSET behind another write.
    local left = redis.call('pttl', KEYS[1])
    if left >= 0 then redis.call('pexpire', KEYS[1], math.max(left, lasts)) end
end
for i = first, #ARGV do
    local hold = ARGV[i] .. ':' .. ARGV[1]
    if ends then
        local kept = ARGV[i] .. ':' .. ARGV[5]
        redis.call('hset', KEYS[1], ARGV[i], ARGV[5], kept .. ':expire_time', ends, kept .. ':lock_count', '1')
    elseif redis.call('hget', KEYS[1], ARGV[i]) == ARGV[1] then
        redis.call('hdel', KEYS[1], ARGV[i])
    end
    redis.call('hdel', KEYS[1], hold .. ':expire_time', hold .. ':lock_count')
end
if ends then
    local own = {}
    for i = first, #ARGV do own[ARGV[i]] = true end
    local whole, alone = remove_ended(0, own, now)
    if not whole then remove_ended(time[2], own, now) -- of many fields it begins anywhere
    elseif alone then redis.pcall('pexpire', KEYS[1], lasts) end
end
if held == 0 then return 0 end
local told = redis.pcall(ARGV[2], ARGV[3], '0')
if not all then return 0 end
if type(told) == 'table' and told.err then return -1 end
return 1 + told
