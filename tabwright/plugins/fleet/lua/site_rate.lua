-- The rate of one site, shared by a fleet. The rules are those of LimiterState in store.py; the
-- twin of this script is tabwright/testing/fleet/rates.py.
--
-- KEYS: 1 the state (hash), 2 the permits in work (sorted set, by the end of their lease),
--       3 the processes that wait (sorted set, by their ticket), 4 when each asked last (hash)
-- ARGV: 1 the operation, 2 how long a permit lasts without renewal, 3 how long a silent process stays
--       in the line, then the arguments of the operation
-- Returns the state and the outcome as texts.

local PAUSE_MAX_S, DAY_S, ROUNDING_S, DOUBLINGS_MAX = 7200, 86400, 0.001, 20
local RETURN_S = 3  -- see shared_rates.py
local KEPT_MS = 3 * 86400 * 1000  -- longer than a day or a pause
local operation, lease_s, seen_s = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local names = {'day', 'requests', 'last_start', 'reserved_until', 'refusals', 'paused_until'}
local site = {}
for index, value in ipairs(redis.call('HMGET', KEYS[1], unpack(names))) do
  site[names[index]] = tonumber(value or 0)
end
local holder = redis.call('HGET', KEYS[1], 'holder') or ''
local is_reserved, interval_s, place = 0, 0, 0

local function exact(number)
  return string.format('%.6f', number)
end

local function left_s(until_s, most_s)
  local left = until_s - now
  if left > 0 and left <= most_s + ROUNDING_S then return left end
  return 0
end

local function today()
  if site.day == math.floor(now / DAY_S) then return site.requests end
  return 0
end

local function count_start(requests, at_s)
  site.requests = today() + requests
  site.day = math.floor(now / DAY_S)
  site.last_start = math.max(site.last_start, at_s)
end

local function lease(permit)
  redis.call('ZADD', KEYS[2], exact(now + lease_s), permit)
end

local function leave(process)
  redis.call('ZREM', KEYS[3], process)
  redis.call('HDEL', KEYS[4], process)
end

-- Return the place of a process in the line, from 1, after those who no longer ask have left it.
local function place_of(process)
  if not redis.call('ZSCORE', KEYS[3], process) then
    redis.call('ZADD', KEYS[3], redis.call('HINCRBY', KEYS[1], 'tickets', 1), process)
  end
  redis.call('HSET', KEYS[4], process, exact(now))
  while true do
    local first = redis.call('ZRANGE', KEYS[3], 0, 0)[1]
    if tonumber(redis.call('HGET', KEYS[4], first) or 0) + seen_s > now then break end
    leave(first)
  end
  return redis.call('ZRANK', KEYS[3], process) + 1
end

if holder ~= '' and site.reserved_until <= now then  -- its process died: it may have begun
  count_start(1, site.reserved_until)
  holder, site.reserved_until = '', 0
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', exact(now))

if operation == 'reserve' then
  local process, permit = ARGV[4], ARGV[5]
  local min_interval, concurrency, daily = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
  local for_person, begins = ARGV[9] == '1', ARGV[10] == '1'
  local pause_s = left_s(site.paused_until, PAUSE_MAX_S)
  if (daily >= 0 and today() >= daily) or (pause_s > 0 and not for_person) then
    leave(process)
    interval_s = pause_s
  else
    place = place_of(process)
    if place == 1 and holder == '' and redis.call('ZCARD', KEYS[2]) < concurrency then
      place = 0
      interval_s = left_s(site.last_start + min_interval, min_interval + RETURN_S)
      if interval_s == 0 then
        is_reserved = 1
        leave(process)
        lease(permit)
        if begins then
          count_start(1, now)
        else
          holder, site.reserved_until = permit, now + lease_s
        end
      end
    end
  end
elseif operation == 'begin' then
  if holder == ARGV[4] then holder, site.reserved_until = '', 0 end
  lease(ARGV[4])
  count_start(1, now)
elseif operation == 'renew' then
  if holder == ARGV[4] then site.reserved_until = now + lease_s end
  lease(ARGV[4])
elseif operation == 'release' then
  if holder == ARGV[4] then holder, site.reserved_until = '', 0 end
  redis.call('ZREM', KEYS[2], ARGV[4])
elseif operation == 'refuse' then
  local cool_down_s = tonumber(ARGV[4]) * 2 ^ math.min(site.refusals, DOUBLINGS_MAX)
  local pause_s = math.min(math.max(cool_down_s, tonumber(ARGV[5])), PAUSE_MAX_S)
  site.refusals = site.refusals + 1
  site.paused_until = now + math.max(pause_s, left_s(site.paused_until, PAUSE_MAX_S))
elseif operation == 'answer' then
  site.refusals, site.paused_until = 0, 0
elseif operation == 'merge' then
  local day, requests, last_start = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
  local refusals, paused_until = tonumber(ARGV[7]), tonumber(ARGV[8])
  local own_requests, own_last_start = tonumber(ARGV[9]), tonumber(ARGV[10])
  if day == math.floor(now / DAY_S) then
    site.requests, site.day = math.max(today(), requests), day
    count_start(own_requests, 0)
  end
  site.last_start = math.max(site.last_start, last_start, own_last_start)
  site.refusals = math.max(site.refusals, refusals)
  site.paused_until = math.max(site.paused_until, paused_until)
end

redis.call('HSET', KEYS[1], 'holder', holder, 'day', exact(site.day),
  'requests', exact(site.requests), 'last_start', exact(site.last_start),
  'reserved_until', exact(site.reserved_until), 'refusals', exact(site.refusals),
  'paused_until', exact(site.paused_until))
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, KEPT_MS) end
return {
  holder, exact(site.day), exact(site.requests), exact(site.last_start),
  exact(site.reserved_until), exact(site.refusals), exact(site.paused_until),
  exact(now), exact(is_reserved), exact(interval_s), exact(place),
}
