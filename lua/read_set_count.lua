-- Writes how often an owner that reads holds a read-write lock: a re-entry or a partial release.
-- KEYS: 1 NAME, 2 prefix of hold keys. ARGV: 1 lease in ms, 2 OWNER, 3 count.
-- Returns: 1 = written; 0 = OWNER does not read.
-- wire: protocol section 6.2; absolute, and no lease is shortened, so that a repeat is harmless. Each hold has its own key,
-- by which Redisson knows that it is alive; all of one owner live as long as the longest. The lease is written once more
-- first, as in lock_set_count: a server whose memory is full executes SET and HSET behind any other write of the script.
local before = redis.call('hget', KEYS[1], ARGV[2])
if not before then return 0 end
local hold = KEYS[2] .. ARGV[2] .. ':rwlock_timeout:'
local count = tonumber(ARGV[3])
local lease = math.max(tonumber(ARGV[1]), redis.call('pttl', hold .. 1))
local of_lock = redis.call('pttl', KEYS[1])
if of_lock >= 0 then redis.pcall('pexpire', KEYS[1], math.max(of_lock, 1000)) end
for n = 1, count do
    local left = redis.call('pttl', hold .. n)
    if left ~= -1 and left < lease then redis.call('set', hold .. n, '1', 'px', lease) end
end
for n = count + 1, math.min(tonumber(before), 10000) do redis.call('del', hold .. n) end
redis.call('hset', KEYS[1], ARGV[2], ARGV[3])
lease = math.max(of_lock, lease)
if of_lock >= 0 and (of_lock < lease or of_lock < 1000) then redis.call('pexpire', KEYS[1], lease) end
return 1
