-- Takes a lock that is free, if nobody waits for it or OWNER is the first of the queue, or finds that an earlier copy of this
-- very call has taken it. Otherwise gives OWNER a place in the queue, if it may wait, or keeps the place that it has.
-- KEYS: 1 NAME, 2 queue, 3 timeouts, 4 (where a token is wanted) token counter. ARGV: 1 lease in ms, 2 OWNER, 3 for how many
-- ms a waiter that does not ask keeps its place, 4: 1 = may wait, 5 (may be left out) for how many ms the counter stays at
-- least.
-- Returns: nil = acquired; {token} = acquired with a token; an integer = to be asked again in so many ms: the PTTL of the
-- holder (-1: without expiry), or, while the lock is free, what is left to the first of the queue.
-- wire: protocol section 5.4. The time is the server's. A waiter that asks is alive: it has its timeout once for itself and
-- once for each place before it, since it loses as much when that one is taken. One without a timeout is gone, whatever Java
-- would do. The counter and the queue are written first: where that is refused, nothing has been taken.
local function next_token()
    if not KEYS[4] then return nil end
    local token = redis.call('incr', KEYS[4])
    if token > 9007199254740991 then token = redis.call('get', KEYS[4]) end -- a number of Lua would not be exact
    if ARGV[5] and redis.call('pttl', KEYS[4]) < tonumber(ARGV[5]) then redis.call('pexpire', KEYS[4], ARGV[5]) end
    return {token}
end

local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local patience = tonumber(ARGV[3])
local left = redis.call('pttl', KEYS[1])
local before = redis.call('lpos', KEYS[2], ARGV[2])
local its_turn = left == -2 and before == 0
local first = its_turn and ARGV[2]
local ends
if not its_turn then
    if before then
        ends = redis.call('zscore', KEYS[3], ARGV[2])
        local alive = now + (before + 1) * patience
        if not ends or tonumber(ends) < alive then redis.call('zadd', KEYS[3], alive, ARGV[2]) end
    end
    first = redis.call('lindex', KEYS[2], '0')
    while first do
        ends = redis.call('zscore', KEYS[3], first)
        if ends and tonumber(ends) > now then break end
        redis.call('lpop', KEYS[2])
        redis.call('zrem', KEYS[3], first)
        first = redis.call('lindex', KEYS[2], '0')
    end
end

if left == -2 and (not first or first == ARGV[2]) then
    local token = next_token()
    if first then
        redis.call('lpop', KEYS[2])
        redis.call('zrem', KEYS[3], ARGV[2])
    end
    local others = redis.call('zrange', KEYS[3], '0', '-1', 'withscores')
    for from = 1, #others, 1000 do -- not too many arguments at once
        local shifted = {}
        for i = from, math.min(from + 998, #others - 1), 2 do
            table.insert(shifted, string.format('%.17g', others[i + 1] - patience))
            table.insert(shifted, others[i])
        end
        redis.call('zadd', KEYS[3], unpack(shifted))
    end
    redis.call('hset', KEYS[1], ARGV[2], '1')
    local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
    if leased == 1 then return token end
    redis.call('hdel', KEYS[1], ARGV[2]) -- a user without the right to PEXPIRE must not leave a lock that never ends
    return {err = leased.err .. " (the command is 'pexpire')"}
end
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[1], ARGV[1]) end
    return next_token()
end

if ARGV[4] == '1' and not before then
    local place = redis.call('rpush', KEYS[2], ARGV[2])
    redis.call('zadd', KEYS[3], now + place * patience, ARGV[2])
end
if left ~= -2 then return left end
return math.max(tonumber(ends) - now, 1)
