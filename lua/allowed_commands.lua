-- Says which commands this user may run. Runs none of them.
-- KEYS: none. ARGV: for each command how many words it has, and the words; of one with keys as many as it needs.
-- Returns: a character for each command: 1 = allowed, 0 = not allowed, ? = the server does not know the command. Nothing where
-- the server cannot say: before Redis 7.0.
local may_run = redis.acl_check_cmd
if not may_run then return false end
local answers, at = {}, 1
while at <= #ARGV do
    local last = at + ARGV[at]
    local known, allowed = pcall(may_run, unpack(ARGV, at + 1, last))
    answers[#answers + 1] = not known and '?' or allowed and '1' or '0'
    at = last + 1
end
return table.concat(answers)
