-- For how long anybody may hold any of these values.
-- KEYS: 1 GROUP. ARGV: the fields of the values.
-- Returns: in so many ms the last of their leases is over; -2 = they are free.
-- wire: protocol section 9.4. The time is the server's; a lease that is over keeps nobody out.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local latest = now
for _, field in ipairs(ARGV) do
    local owner = redis.call('hget', KEYS[1], field)
    local ends = owner and redis.call('hget', KEYS[1], field .. ':' .. owner .. ':expire_time')
    latest = math.max(latest, tonumber(ends or 0) or 0)
end
return latest > now and latest - now or -2
