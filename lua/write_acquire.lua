-- Takes a free read-write lock for writing, or finds that an earlier copy of this very call has taken it.
-- KEYS: 1 NAME. ARGV: 1 lease in ms, 2 OWNER.
-- Returns: nil = acquired; an integer = the PTTL of the lock (-1: without expiry).
-- wire: protocol section 6.3; the count is written absolutely and the lease never shortened, so that a repeat is harmless.
local left = redis.call('pttl', KEYS[1])
if left == -2 then
    redis.call('hset', KEYS[1], 'mode', 'write', ARGV[2], 1)
    local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
    if leased == 1 then return nil end
    redis.call('hdel', KEYS[1], 'mode', ARGV[2]) -- a user without the right to PEXPIRE must not leave a lock that never ends
    return leased
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return left end
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return nil
