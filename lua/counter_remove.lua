-- Deletes a semaphore or a latch.
-- KEYS: 1 NAME, 2 (a latch only) channel. ARGV: of a latch 1 the publish command (PUBLISH or SPUBLISH), 2 the message.
-- Returns: 1 = deleted; 2 = deleted, but this user may not publish; 0 = there was none.
-- wire: protocol sections 7.1 and 7.2. GET refuses a key of another type.
if not redis.call('get', KEYS[1]) then return 0 end
redis.call('del', KEYS[1])
if KEYS[2] and type(redis.pcall(ARGV[1], KEYS[2], ARGV[2])) ~= 'number' then return 2 end
return 1
