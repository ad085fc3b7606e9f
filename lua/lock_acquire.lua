-- Takes a free lock, or finds that an earlier copy of this very call has taken it.
-- KEYS: 1 NAME. ARGV: 1 lease in ms, 2 OWNER, 3 (may be left out) channel, 4 (may be left out: numsub) how those that
-- listen to it are counted: shardnumsub for messages of a shard.
-- Returns: nil = acquired; an integer = the PTTL of the holder (-1: without expiry); with a channel: {that integer, how many
-- connections listen to it, or the error where the server does not say}.
-- wire: protocol section 1.1; the count is written absolutely and the lease never shortened, so that a repeat is harmless.
local left = redis.call('pttl', KEYS[1])
if left == -2 then
    redis.call('hset', KEYS[1], ARGV[2], '1')
    local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
    if leased == 1 then return nil end
    redis.call('hdel', KEYS[1], ARGV[2]) -- a user without the right to PEXPIRE must not leave a lock that never ends
    return {err = leased.err .. " (the command is 'pexpire')"}
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
    return nil
end
if not ARGV[3] then return left end
local listening = redis.pcall('pubsub', ARGV[4] or 'numsub', ARGV[3])
return {left, listening.err and listening or listening[2]}
