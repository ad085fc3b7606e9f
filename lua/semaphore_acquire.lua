-- Takes permits of a semaphore, where there are enough.
-- KEYS: 1 NAME, 2 (may be left out) RECORD. ARGV: 1 how many, 2 with a record: for how long it is kept, in ms.
-- Returns: 1 + how many are left, of which it says 1,000,000,000 at most = taken; 0 = there are fewer.
-- wire: protocol section 7.1. RECORD holds the answer: a copy of the call takes nothing more.
local done = KEYS[2] and redis.call('get', KEYS[2])
if done then return tonumber(done) end
local value = redis.call('get', KEYS[1]) or '0'
if not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local left = value - ARGV[1]
if left < 0 then return 0 end
left = math.min(left, 1000000000) -- an integer also where a float is not exact
if KEYS[2] then redis.call('set', KEYS[2], string.format('%.0f', left + 1), 'px', ARGV[2]) end
local taken = redis.pcall('decrby', KEYS[1], ARGV[1])
if type(taken) == 'number' then return left + 1 end
if KEYS[2] then redis.call('del', KEYS[2]) end
return redis.call('decrby', KEYS[1], ARGV[1]) -- the same refusal, which names the command
