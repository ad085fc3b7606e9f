-- Takes a free read-write lock for writing, or finds that an earlier copy of this very call has taken it.
-- KEYS: 1 NAME, 2 (where a token is wanted) token counter. ARGV: 1 lease in ms, 2 OWNER, 3 (may be left out) for how many ms
-- the counter stays at least.
-- Returns: nil = acquired; {token} = acquired with a token; an integer = the PTTL of the lock (-1: without expiry).
-- wire: protocol section 6.3; the count is written absolutely and the lease never shortened, so that a repeat is harmless. The
-- counter is written first: where that is refused, nothing has been taken.
local function next_token()
    if not KEYS[2] then return nil end
    local token = redis.call('incr', KEYS[2])
    if token > 9007199254740991 then token = redis.call('get', KEYS[2]) end -- a number of Lua would not be exact
    if ARGV[3] and redis.call('pttl', KEYS[2]) < tonumber(ARGV[3]) then redis.call('pexpire', KEYS[2], ARGV[3]) end
    return {token}
end

local left = redis.call('pttl', KEYS[1])
if left == -2 then
    local token = next_token()
    redis.call('hset', KEYS[1], 'mode', 'write', ARGV[2], '1')
    local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
    if leased == 1 then return token end
    redis.call('hdel', KEYS[1], 'mode', ARGV[2]) -- a user without the right to PEXPIRE must not leave a lock that never ends
    return {err = leased.err .. " (the command is 'pexpire')"}
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 0 then return left end
if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
return next_token()
