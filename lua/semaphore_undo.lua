-- Gives back what an acquisition has taken whose caller does not wait any more; a copy of it that comes later takes nothing.
-- KEYS: 1 NAME, 2 RECORD of the acquisition. ARGV: 1 how many, 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 for how long RECORD is kept, in ms.
-- Returns: 1 = given back; 0 = nothing had been taken, or it has been given back already, or the semaphore is gone.
-- wire: protocol section 7.1. A server whose memory is full executes INCRBY and SET behind any other write of the script.
local taken = (tonumber(redis.call('get', KEYS[2]) or 0) or 0) > 0
taken = taken and redis.call('exists', KEYS[1]) == 1
redis.pcall('pexpire', KEYS[2], ARGV[4])
local free = taken and redis.call('incrby', KEYS[1], ARGV[1])
local noted = redis.pcall('set', KEYS[2], '0', 'px', ARGV[4])
if noted.err then
    if taken then redis.call('incrby', KEYS[1], -ARGV[1]) end -- given back with the record or not at all
    return redis.call('set', KEYS[2], '0', 'px', ARGV[4]) -- the same refusal, which names the command
end
if not taken then return 0 end
redis.pcall(ARGV[2], ARGV[3], free)
return 1
