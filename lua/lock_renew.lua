-- Renews many locks at once.
-- KEYS: NAME 1..n. ARGV: 1 lease in ms, then one OWNER for each key.
-- Returns: the positions (from 1) of the locks that their owner does not hold any more; empty = all renewed.
-- wire: protocol section 2.3; the lease is never shortened, and a key of another type counts as not held. Any other error
-- (a missing right) says nothing about the locks: it is the answer, and a later call tries again.
local lost = {}
for i = 1, #KEYS do
    local held = redis.pcall('hexists', KEYS[i], ARGV[i + 1])
    if held == 1 then
        local left = redis.call('pttl', KEYS[i])
        if left >= 0 and left < tonumber(ARGV[1]) then redis.call('pexpire', KEYS[i], ARGV[1]) end
    elseif held == 0 or string.find(held.err, 'WRONGTYPE', 1, true) then
        lost[#lost + 1] = i
    else
        return {err = held.err .. " (the command is 'hexists')"}
    end
end
return lost
