-- Takes values of a group, all or none, or finds that an earlier copy of this very call has taken them.
-- KEYS: 1 GROUP, 2 (where a token is wanted) token counter. ARGV: 1 lease in ms, 2 OWNER; with a token counter 3 (may be
-- empty) for how many ms it stays at least; then the fields of the values.
-- Returns: nil = acquired; {token} = acquired with a token; an integer = in so many ms the last lease is over of those that
-- others have on any of them.
-- wire: protocol section 9.2. The time is the server's. Each value has its own lease; that of the key is no shorter than any
-- of them. What owners have left whose leases are over goes with the take-over: Redisson would count on from it. The counter is
-- written first: where that is refused, nothing has been taken.
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = redis.call('pttl', KEYS[1])
local first = KEYS[2] and 4 or 3
local latest = now
local mine = {}
local dead = {}
for i = first, left == -2 and 0 or #ARGV do
    local owner = redis.call('hget', KEYS[1], ARGV[i])
    if owner == ARGV[2] then
        mine[i] = true
    elseif owner then
        local hold = ARGV[i] .. ':' .. owner
        latest = math.max(latest, tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0) or 0)
        dead[#dead + 1] = hold
    end
end
if latest > now then return latest - now end

local token
if KEYS[2] then
    token = {redis.call('incr', KEYS[2])}
    if token[1] > 9007199254740991 then token = {redis.call('get', KEYS[2])} end -- a number of Lua would not be exact
    if ARGV[3] ~= '' and redis.call('pttl', KEYS[2]) < tonumber(ARGV[3]) then redis.call('pexpire', KEYS[2], ARGV[3]) end
end
for _, hold in ipairs(dead) do redis.call('hdel', KEYS[1], hold .. ':expire_time', hold .. ':lock_count') end
local ends = now + tonumber(ARGV[1])
for i = first, #ARGV do
    local hold = ARGV[i] .. ':' .. ARGV[2]
    if not mine[i] then
        redis.call('hset', KEYS[1], ARGV[i], ARGV[2], hold .. ':expire_time', ends, hold .. ':lock_count', '1')
    elseif tonumber(redis.call('hget', KEYS[1], hold .. ':expire_time') or 0) < ends then
        redis.call('hset', KEYS[1], hold .. ':expire_time', ends)
    end
end
if left ~= -2 and (left < 0 or left >= tonumber(ARGV[1])) then return token end
local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
if leased == 1 then return token end
for i = first, #ARGV do -- a user without the right to PEXPIRE must not leave a lock that never ends
    local hold = ARGV[i] .. ':' .. ARGV[2]
    if not mine[i] then redis.call('hdel', KEYS[1], ARGV[i], hold .. ':expire_time', hold .. ':lock_count') end
end
return {err = leased.err .. " (the command is 'pexpire')"}
