-- Shows who holds a lock, of any kind that lives in a hash.
-- KEYS: 1 NAME, 2 the fair lock's queue, 3 the fenced lock's counter.
-- Returns: nil = free; else {PTTL, 1 if the queue exists, 1 if the counter exists, field, value, field, value ...}.
-- wire: protocol section 0.3.
local fields = redis.call('hgetall', KEYS[1])
if #fields == 0 then return nil end
local answer = {redis.call('pttl', KEYS[1]), redis.call('exists', KEYS[2]), redis.call('exists', KEYS[3])}
for i = 1, #fields do answer[#answer + 1] = fields[i] end
return answer
