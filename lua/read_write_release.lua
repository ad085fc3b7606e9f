-- Ends a hold of a read-write lock, whatever its count, and wakes the waiters if somebody may enter now.
-- KEYS: 1 NAME, 2 prefix of hold keys. ARGV: 1 OWNER, 2 the publish command (PUBLISH or SPUBLISH), 3 channel, 4 the message: 0
-- of a read hold, 1 of a write hold. Of a minimum hold also 5 for how many ms the lock is to stay, 6 the reader whose it is
-- then, and of a write hold 7 the writer (protocol section 1.9).
-- Returns: 1 + how many connections heard the message = released; -1 = released, but this user may not publish: waiters sleep
-- until their timer; 0 = not held.
-- wire: protocol section 6.4. Readers whose hold keys have all expired are dead: they keep nobody out, which is looked at where
-- the lease of the lock may be theirs. A hash with other fields than holds is no lock: it stays. No owner has 10,000 holds. DEL
-- is the first write where nobody stays: where it is refused, nothing has changed.
local count = redis.call('hget', KEYS[1], ARGV[1])
local function hold(owner, n) return KEYS[2] .. owner .. ':rwlock_timeout:' .. n end
local function holds(text) return math.min(tonumber(text) or 0, 10000) end
local writes = ARGV[4] == '1'
if not count then
    -- Where somebody has deleted the lock, the keys of its readers are still there.
    local n = 1
    while not writes and redis.call('del', hold(ARGV[1], n)) == 1 do n = n + 1 end
    return 0
end
local function delete_own_hold_keys()
    for n = 1, writes and 0 or holds(count) do redis.call('del', hold(ARGV[1], n)) end
end
-- The field is the last to go: a call that was refused meanwhile goes on when it is repeated.
local function end_own_hold()
    delete_own_hold_keys()
    redis.call('hdel', KEYS[1], ARGV[1])
end
-- Until a minimum hold is over a reader stays that nobody renews: of a read hold, and of a write hold whose owner goes on
-- reading. Returns for how many ms.
local kept = tonumber(ARGV[5])
local function keep_reading()
    local for_ms = math.max(kept, redis.call('pttl', hold(ARGV[6], 1)))
    -- No field has that name: a server whose memory is full executes SET and HSET behind another write.
    redis.call('hdel', KEYS[1], '')
    redis.call('set', hold(ARGV[6], 1), '1', 'px', for_ms)
    redis.call('hset', KEYS[1], ARGV[6], '1')
    return for_ms
end
local left = redis.call('pttl', KEYS[1])
local own = writes and left or redis.call('pttl', hold(ARGV[1], 1))
for n = 2, writes and 0 or holds(count) do own = math.max(own, redis.call('pttl', hold(ARGV[1], n))) end
local mode = not writes and redis.call('hget', KEYS[1], 'mode') -- who writes need not ask
local fields_in_all = own + 1000 < left and mode == 'read' and redis.pcall('hlen', KEYS[1])
if type(fields_in_all) == 'number' and fields_in_all > 2 then
    -- The lease of the lock is the longest of its readers', but for a second, and not this one's: another one still reads for
    -- as long. (Commands of one script may see a clock that has moved on: two leases may differ, and both be this reader's.)
    local stays_for = kept and keep_reading() or 0
    if stays_for > left then redis.call('pexpire', KEYS[1], stays_for) end
    end_own_hold()
    return 1
end
local fields = redis.call('hgetall', KEYS[1])
local longest = 0 -- of the others, who read
local reads = false -- one of them that has not been released
local foreign = false -- a field of somebody for whom this is no lock
-- Of many who read with the same lease nearly each has the longest: one that stays for as long, but for a second, is enough,
-- and the others need not be looked at.
local enough = left > 0 and mode == 'read' and not kept and left - 1000 or math.huge
for i = 1, #fields, 2 do
    if longest > 0 and longest >= enough then
        end_own_hold()
        return 1
    end
    if fields[i] ~= 'mode' and fields[i] ~= ARGV[1] then
        foreign = foreign or holds(fields[i + 1]) < 1
        for n = holds(fields[i + 1]), 1, -1 do
            local its = redis.call('pttl', hold(fields[i], n))
            reads = reads or its > 0 and fields[i] ~= ARGV[6]
            longest = math.max(longest, its)
        end
    end
end
-- As in lock_set_count the lease is a second at least until HSET is done.
local function set_for(lease, field, value)
    redis.call('pexpire', KEYS[1], math.max(lease, 1000))
    redis.call('hset', KEYS[1], field, value)
    if lease < 1000 then redis.call('pexpire', KEYS[1], lease) end
end
local goes_on_writing = mode == 'write'
local keeps_out_all = kept and writes and not reads
if keeps_out_all then
    set_for(math.max(kept, longest), ARGV[7], '1')
elseif kept then
    longest = math.max(longest, keep_reading())
end
local stays = goes_on_writing or longest > 0
local only_read = stays and not keeps_out_all and not goes_on_writing
if only_read and writes then
    set_for(longest, 'mode', 'read')
elseif only_read then
    redis.call('pexpire', KEYS[1], longest)
end
if stays or keeps_out_all or foreign then
    end_own_hold()
else
    redis.call('del', KEYS[1])
    delete_own_hold_keys()
end
if goes_on_writing then return 1 end
-- Nobody can enter who could not before; but those who wait are told when their timers would be far too late.
if only_read and not writes and 2 * longest >= left then return 1 end
local told = redis.pcall(ARGV[2], ARGV[3], ARGV[4])
if type(told) == 'table' and told.err then return -1 end
return 1 + told
