-- Writes the number of a semaphore once more, as it is, where the server knows of an acquisition: replicas that have this write
-- have that one as well.
-- KEYS: 1 NAME, 2 RECORD of the acquisition; of permits with ids: timeouts. ARGV: the ids, if there are some.
-- Returns: 1 = written; 0 = this server does not know of it: it has never heard of it, or the semaphore was deleted.
-- wire: protocol section 7; nobody is told, since nothing changes. (INCRBY by 0 is replicated; SET would end an expiry.)
local known = #ARGV > 0 or (tonumber(redis.call('get', KEYS[2]) or 0) or 0) > 0
for i = 1, #ARGV do known = known and redis.call('zscore', KEYS[2], ARGV[i]) end
if not known or not redis.call('get', KEYS[1]) then return 0 end
redis.call('incrby', KEYS[1], '0')
return 1
