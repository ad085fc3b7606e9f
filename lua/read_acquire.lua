-- Takes a read-write lock for reading, or finds that an earlier copy of this very call has taken it.
-- KEYS: 1 NAME, 2 prefix of hold keys: hold n of an owner is <prefix>OWNER:rwlock_timeout:n. It is no key that is ever there,
-- so that a cluster refuses the call (TRYAGAIN) while the slot is on its way, when hold keys may be on another node than NAME.
-- ARGV: 1 lease in ms, 2 OWNER, 3 the write hold of the same owner, beside which it may read (empty: none).
-- Returns: nil = acquired; an integer = the PTTL of the lock (-1: without expiry).
-- wire: protocol section 6.2; the count of a hold that is there is not touched and no lease is shortened, so that a repeat is
-- harmless, also a late one. A hash without a mode is a lock of another kind, and one with other fields than holds is no lock:
-- busy.
local left = redis.call('pttl', KEYS[1])
local free = left == -2
local fresh = free or redis.call('hexists', KEYS[1], ARGV[2]) == 0
local function is_lock()
    local most = left == -1 and 1000 or 5 -- a lock has a lease
    if redis.call('hlen', KEYS[1]) > most then return true end -- of many no more is asked
    local fields = redis.call('hgetall', KEYS[1])
    for i = 1, #fields, 2 do
        local is_hold = string.find(fields[i], ':%-?%d') and (tonumber(fields[i + 1]) or 0) >= 1
        if fields[i] ~= 'mode' and not is_hold then return false end
    end
    return #fields > 2
end
if not free then
    local mode = redis.call('hget', KEYS[1], 'mode')
    local own_write = mode == 'write' and ARGV[3] ~= '' and redis.call('hexists', KEYS[1], ARGV[3]) == 1
    if mode ~= 'read' and not own_write or fresh and not is_lock() then return left end
end
local lease = tonumber(ARGV[1])
local hold = KEYS[2] .. ARGV[2] .. ':rwlock_timeout:1'
local kept = redis.call('pttl', hold)
if kept ~= -1 and kept < lease then redis.call('set', hold, '1', 'px', ARGV[1]) end
if free then
    redis.call('hset', KEYS[1], 'mode', 'read', ARGV[2], '1')
elseif fresh then
    redis.call('hset', KEYS[1], ARGV[2], '1')
end
if not free and (left == -1 or left >= lease) then return nil end
local leased = redis.pcall('pexpire', KEYS[1], ARGV[1])
if leased == 1 then return nil end
if fresh then redis.call('hdel', KEYS[1], ARGV[2]) end -- without the right to PEXPIRE it must not leave what never ends
if free then redis.call('hdel', KEYS[1], 'mode') end
return {err = leased.err .. " (the command is 'pexpire')"}
