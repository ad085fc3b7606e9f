-- Gives permits back by their ids, all or none. Those whose lease is over come back as well.
-- KEYS: 1 NAME, 2 timeouts, 3 (may be left out) RECORD. ARGV: 1 the publish command (PUBLISH or SPUBLISH), 2 channel, 3 with
-- RECORD: for how long it is kept, in ms; without: 1 = whoever has them knows that their lease is not over, 0 = it is to be
-- looked up, from 4 on: the ids.
-- Returns: 3 + n = given back, and n connections heard of it; 2 = given back, but this user may not publish; 1 = given back,
-- and there is nothing to tell; -n = the n-th id is not there, another one is, and none was given back; 0 = none is there.
-- With RECORD those that are there are given back.
-- wire: protocol section 7.3. The time is the server's. RECORD stands for an acquisition that is undone: a copy of it that
-- comes later takes nothing. A semaphore that is gone is not made again. A server whose memory is full executes what needs some
-- behind any other write of the script: ZREM of a member that cannot be there is one, and DEL of RECORD.
local value = redis.call('get', KEYS[1])

local function tell(free)
    if free <= 0 then return 1 end
    local heard = redis.pcall(ARGV[1], ARGV[2], free)
    return type(heard) == 'number' and 3 + heard or 2
end

-- The usual case: ZREM says whether it is there. Where it is not, nothing has changed, and the rest says why.
if value and ARGV[3] == '1' and #ARGV == 4 then
    local free = redis.pcall('incrby', KEYS[1], '1')
    if type(free) == 'number' then
        if redis.pcall('zrem', KEYS[2], ARGV[4]) == 1 then return tell(free) end
        redis.call('incrby', KEYS[1], '-1')
    end
end

if value and not string.find(value, '^-?%d+$') then return redis.error_reply('WRONGTYPE the value is not a number') end
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local back = redis.call('zrangebyscore', KEYS[2], '-inf', now, 'limit', '0', '1000')

local missing
local held = {}
for i = 4, #ARGV do
    local ends = redis.call('zscore', KEYS[2], ARGV[i])
    if ends and tonumber(ends) > now then table.insert(held, ARGV[i])
    else missing = missing or i - 3 end
end
local none_there = #held == 0
if KEYS[3] then
    redis.pcall('del', KEYS[3])
    redis.call('set', KEYS[3], '0', 'px', ARGV[3])
elseif missing then held = {} end
for _, id in ipairs(held) do table.insert(back, id) end
local said = 1
if #back > 0 then
    local free
    if value then
        free = redis.pcall('incrby', KEYS[1], #back)
        if type(free) ~= 'number' then
            redis.pcall('zrem', KEYS[2], '')
            free = redis.call('incrby', KEYS[1], #back)
        end
    end
    for _, id in ipairs(back) do
        if type(redis.pcall('zrem', KEYS[2], id)) ~= 'number' then -- the number must not change alone
            if value then redis.call('incrby', KEYS[1], -#back) end
            return redis.call('zrem', KEYS[2], id) -- the same refusal, which names the command
        end
    end
    if free then said = tell(free) end
end
if none_there then return 0 end
if #held == 0 then return -missing end -- one of several is not there: none is given back
return said
