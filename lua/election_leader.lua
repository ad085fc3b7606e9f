-- Says who leads an election: who holds its lock. Changes nothing.
-- KEYS: 1 NAME, 2 token counter. ARGV: 1 (may be left out) the OWNER that the caller knows of; empty: nobody.
-- Returns: {0 = the leader is the one of ARGV[1], 1 = another one, or ARGV[1] is left out; the PTTL of the lock, -2: nobody
-- leads; the leader's OWNER; the counter}, the last two empty where there are none. The error WRONGTYPE of a hash with several
-- fields, as a read-write lock is.
-- wire: protocol section 8.2.
local left = redis.call('pttl', KEYS[1])
local leader, token = '', ''
if left ~= -2 then
    if redis.call('hlen', KEYS[1]) ~= 1 then
        return redis.error_reply('WRONGTYPE Operation against a key holding the wrong kind of value')
    end
    leader = redis.call('hkeys', KEYS[1])[1]
    token = redis.call('get', KEYS[2]) or ''
end
return {leader == ARGV[1] and 0 or 1, left, leader, token}
