-- Writes the hold count of a lock that is held: a re-entry or a partial release.
-- KEYS: 1 NAME. ARGV: 1 lease in ms, 2 OWNER, 3 count.
-- Returns: 1 = written; 0 = OWNER does not hold the lock.
-- wire: protocol sections 1.1 and 1.5; absolute, and the lease is never shortened, so that a repeat is harmless. The lease is
-- written once more first: a server whose memory is full executes HSET behind any other write of the script. It is a second at
-- least until HSET is done: Redis 7.0, if it is interrupted, deletes a key by a PEXPIRE of few ms, and HSET would make it anew,
-- without expiry.
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return 0 end
local left = redis.call('pttl', KEYS[1])
local lease = math.max(left, tonumber(ARGV[1]))
if left >= 0 then redis.pcall('pexpire', KEYS[1], math.max(left, 1000)) end
redis.call('hset', KEYS[1], ARGV[2], ARGV[3])
if left >= 0 and (left < lease or left < 1000) then redis.call('pexpire', KEYS[1], lease) end
return 1
