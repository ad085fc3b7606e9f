-- Renews many holds of values at once.
-- KEYS: GROUP of each hold. ARGV: 1 lease in ms, then for each hold: OWNER, how many fields, the fields.
-- Returns: the positions (from 1) of the holds of which their owner does not hold all values any more; empty = all renewed.
-- wire: protocol section 9.4; no lease is shortened, and a key of another type counts as not held. Any other error (a missing
-- right) says nothing about the holds: it is the answer, and a later call tries again. The lease of the group is written first,
-- also where it stays, as in lock_set_count: a server whose memory is full executes HSET behind any other write of the script.
local time = redis.call('time')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
local lost = {}
local at = 2
for i = 1, #KEYS do
    local owner, first, last = ARGV[at], at + 2, at + 1 + tonumber(ARGV[at + 1])
    local held = true
    for n = first, last do
        local holder = redis.pcall('hget', KEYS[i], ARGV[n])
        if type(holder) == 'table' and not string.find(holder.err, 'WRONGTYPE', 1, true) then
            return {err = holder.err .. " (the command is 'hget')"}
        end
        held = holder == owner
        if not held then break end
    end
    if held then
        local left = redis.call('pttl', KEYS[i])
        local lease = math.max(left, tonumber(ARGV[1]))
        if left >= 0 then redis.call('pexpire', KEYS[i], math.max(lease, 1000)) end
        for n = first, last do
            local field = ARGV[n] .. ':' .. owner .. ':expire_time'
            if tonumber(redis.call('hget', KEYS[i], field) or 0) < ends then redis.call('hset', KEYS[i], field, ends) end
        end
        if left >= 0 and lease < 1000 then redis.call('pexpire', KEYS[i], lease) end
    else
        lost[#lost + 1] = i
    end
    at = last + 1
end
return lost
