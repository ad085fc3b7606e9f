-- Takes a free lock with a new token, or finds that an earlier copy of this very call has taken it: then nobody has got the
-- token of that one, and a greater one is as good.
-- KEYS: 1 NAME, 2 token counter. ARGV: 1 lease in ms, 2 OWNER, 3 (may be left out, or empty) channel, 4 (may be left out, or
-- empty) for how many ms the counter stays at least, 5 (may be left out: numsub) as the last one of lock_acquire.
-- Returns: {token} = acquired; otherwise as lock_acquire: an integer = the PTTL of the holder (-1: without expiry); with a
-- channel: {that integer, how many connections listen to it, or the error where the server does not say}.
-- wire: protocol section 5.3; the count is written absolutely and the lease never shortened, so that a repeat is harmless. The
-- counter is what can be refused for its type or its size: it is written first, and a token that nobody gets does no harm.
local function next_token()
    local token = redis.call('incr', KEYS[2])
    if token > 9007199254740991 then token = redis.call('get', KEYS[2]) end -- a number of Lua would not be exact
    local least = ARGV[4] and ARGV[4] ~= '' and tonumber(ARGV[4])
    if least and redis.call('pttl', KEYS[2]) < least then redis.call('pexpire', KEYS[2], ARGV[4]) end
    return token
end

local left = redis.call('pttl', KEYS[1])
if left == -2 then
    local token = next_token()
    redis.call('hset', KEYS[1], ARGV[2], '1')
    local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
    if leased == 1 then return {token} end
    redis.call('hdel', KEYS[1], ARGV[2]) -- a user without the right to PEXPIRE must not leave a lock that never ends
    return {err = leased.err .. " (the command is 'pexpire')"}
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
    return {next_token()}
end
if not ARGV[3] or ARGV[3] == '' then return left end
local listening = redis.pcall('pubsub', ARGV[5] or 'numsub', ARGV[3])
return {left, listening.err and listening or listening[2]}
