-- Writes the hold count of values that are held: a re-entry or a partial release.
-- KEYS: 1 GROUP. ARGV: 1 lease in ms, 2 OWNER, 3 count, then the fields of the values.
-- Returns: 1 = written; 0 = OWNER does not hold all of them, and nothing was written.
-- wire: protocol section 9.2; absolute, and no lease is shortened, so that a repeat is harmless.
for i = 4, #ARGV do
    if redis.call('hget', KEYS[1], ARGV[i]) ~= ARGV[2] then return 0 end
end
local time = redis.call('time')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for i = 4, #ARGV do
    local hold = ARGV[i] .. ':' .. ARGV[2]
    local before = tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0)
    redis.call('hset', KEYS[1], hold .. ':lock_count', ARGV[3], hold .. ':expire_time', math.max(before, ends))
end
local left = redis.call('pttl', KEYS[1])
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return 1
