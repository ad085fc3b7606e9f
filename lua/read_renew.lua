-- Renews many read holds at once.
-- KEYS: NAME of each hold. ARGV: 1 lease in ms, then for each hold: OWNER, prefix of hold keys. The prefix is no key that is
-- ever there: among KEYS it would be missing while the slot is on its way to another node, and the call be refused (TRYAGAIN).
-- Returns: the positions (from 1) of the holds that are gone; empty = all renewed.
-- wire: protocol section 2.3; no lease is shortened, and a key of another type counts as not held. A hold without all of its
-- keys is gone too: the next release of anybody drops it. Any other error (a missing right) says nothing about the holds; nor
-- does a key that is not there yet while the slot is on its way: the client asks again.
local lease = tonumber(ARGV[1])
local lost = {}

local function prolong(key)
    local left = redis.call('pttl', key)
    if left >= 0 and left < lease then redis.call('pexpire', key, ARGV[1]) end
    return left ~= -2
end

-- Behind ASKING one key that is missing is answered as if it were nowhere, and two of which one is missing are an error. It
-- speaks of a non local key up to Redis 7.0 and in Valkey 9, and of the rehashing of the slot in between.
local function on_its_way(name, key)
    local seen = redis.pcall('exists', name, key)
    if type(seen) ~= 'table' then return nil end
    for _, words in ipairs({'non local key', 'rehashing of the slot'}) do
        if string.find(seen.err, words, 1, true) then return seen end
    end
end

for i = 1, #KEYS do
    local name, owner, hold = KEYS[i], ARGV[2 * i], ARGV[2 * i + 1] .. ARGV[2 * i] .. ':rwlock_timeout:'
    local count = redis.pcall('hget', name, owner)
    if type(count) == 'table' and not string.find(count.err, 'WRONGTYPE', 1, true) then
        return {err = count.err .. " (the command is 'hget')"}
    end
    local held = type(count) == 'string'
    for n = 1, held and math.min(tonumber(count), 10000) or 0 do
        if not prolong(hold .. n) then
            local error = on_its_way(name, hold .. n)
            if error then return error end
            held = false
        end
    end
    if held then
        prolong(name)
    else
        lost[#lost + 1] = i
    end
end
return lost
