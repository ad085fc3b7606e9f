-- Writes the hold count of values that are held: a re-entry or a partial release.
-- KEYS: 1 GROUP, 2 (of a re-entry that is to have a token) token counter. ARGV: 1 lease in ms, 2 OWNER, 3 count; with a token
-- counter 4 (may be empty) for how many ms it stays at least; then the fields of the values.
-- Returns: 1 = written; {token} = written, with a token; 0 = OWNER does not hold all of them, and nothing was written.
-- wire: protocol section 9.2; absolute, and no lease is shortened, so that a repeat is harmless. The counter is written first:
-- where that is refused, nothing has changed. Then the lease, once more, as in lock_set_count: a server whose memory is full
-- executes HSET behind any other write of the script.
local first = KEYS[2] and 5 or 4
for i = first, #ARGV do
    if redis.call('hget', KEYS[1], ARGV[i]) ~= ARGV[2] then return 0 end
end
local written = 1
if KEYS[2] then
    written = {redis.call('incr', KEYS[2])}
    if written[1] > 9007199254740991 then written = {redis.call('get', KEYS[2])} end -- a number of Lua would not be exact
    if ARGV[4] ~= '' and redis.call('pttl', KEYS[2]) < tonumber(ARGV[4]) then redis.call('pexpire', KEYS[2], ARGV[4]) end
end
local left = redis.call('pttl', KEYS[1])
local lease = math.max(left, tonumber(ARGV[1]))
if left >= 0 then redis.pcall('pexpire', KEYS[1], math.max(left, 1000)) end
local time = redis.call('time')
local ends = time[1] * 1000 + math.floor(time[2] / 1000) + tonumber(ARGV[1])
for i = first, #ARGV do
    local hold = ARGV[i] .. ':' .. ARGV[2]
    local before = tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0)
    redis.call('hset', KEYS[1], hold .. ':lock_count', ARGV[3], hold .. ':expire_time', math.max(before, ends))
end
if left >= 0 and (left < lease or left < 1000) then redis.call('pexpire', KEYS[1], lease) end
return written
