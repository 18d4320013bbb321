-- The processes that share the rates of sites.
--
-- KEYS: 1 the processes (sorted set, by when each was seen last)
-- ARGV: 1 the process that asks, 2 after how many seconds a silent one is gone
-- Returns the time and the processes.

local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
redis.call('ZADD', KEYS[1], string.format('%.6f', now), ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('(%.6f', now - tonumber(ARGV[2])))
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[2]) * 1000)
return {string.format('%.6f', now), redis.call('ZRANGE', KEYS[1], 0, -1)}
