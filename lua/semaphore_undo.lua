-- Gives back what an acquisition has taken whose caller does not wait any more; a copy of it that comes later takes nothing.
-- KEYS: 1 NAME, 2 RECORD of the acquisition. ARGV: 1 how many, 2 the publish command (PUBLISH or SPUBLISH), 3 channel,
-- 4 for how long RECORD is kept, in ms.
-- Returns: 1 = given back; 0 = nothing had been taken, or it has been given back already, or the semaphore is gone.
-- wire: protocol section 7.1. A server whose memory is full executes SET behind any other write of the script.
local taken = (tonumber(redis.call('get', KEYS[2]) or 0) or 0) > 0
redis.pcall('del', KEYS[2])
redis.call('set', KEYS[2], '0', 'px', ARGV[4])
if not taken or redis.call('exists', KEYS[1]) == 0 then return 0 end
redis.pcall(ARGV[2], ARGV[3], redis.call('incrby', KEYS[1], ARGV[1]))
return 1
