-- The queue of jobs; see `tabwright.fleet.jobs` for what each operation means.
--
-- KEYS[1]: the prefix of all keys. ARGV[1]: the operation; the rest are its arguments.
-- Times are milliseconds of Redis's clock, so that no other clock matters.
--
--   PREFIX:job:KEY       hash: batch, payload, state, attempts, token, put, text (result or error)
--   PREFIX:wait:BATCH    list of keys that wait
--   PREFIX:again         list of keys that wait and were leased before
--   PREFIX:batches       list of batches with waiting jobs; the first one is next
--   PREFIX:late          sorted set of keys that wait for their next attempt, by its time
--   PREFIX:leased        sorted set of leased keys, by the end of the lease
--   PREFIX:dead          sorted set of dead letters, by the time
--   PREFIX:token         the latest token
--   PREFIX:workers       sorted set of workers, by the time of their report; PREFIX:worker:NAME

local prefix = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local MOVED_MAX = 100

local function at(...)
  return prefix .. ':' .. table.concat({...}, ':')
end

local function wait(key, batch, first)
  redis.call('HSET', at('job', key), 'state', 'waiting', 'token', 0)
  local again = redis.call('HGET', at('job', key), 'attempts') ~= '0'
  local list = again and at('again') or at('wait', batch)
  if not again and redis.call('LLEN', list) == 0 then
    redis.call('RPUSH', at('batches'), batch)
  end
  redis.call(first and 'LPUSH' or 'RPUSH', list, key)
end

local function finish(key, state, text, keep_ms)
  redis.call('HSET', at('job', key), 'state', state, 'text', text, 'token', 0)
  redis.call('PEXPIRE', at('job', key), keep_ms)
end

local function give_up(key, error, keep_ms)
  finish(key, 'dead', error, keep_ms)
  redis.call('ZREMRANGEBYSCORE', at('dead'), '-inf', now - keep_ms)
  redis.call('ZADD', at('dead'), now, key)
end

local function holds(key, token)
  return redis.call('HGET', at('job', key), 'token') == token
end

-- Let jobs wait whose pause is over or whose lease has ended.
local function tidy(attempts_max, dead_ms)
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', at('late'), '-inf', now, 'LIMIT', 0, MOVED_MAX)) do
    redis.call('ZREM', at('late'), key)
    local batch = redis.call('HGET', at('job', key), 'batch')
    if batch then wait(key, batch) end
  end
  for _, key in ipairs(redis.call('ZRANGEBYSCORE', at('leased'), '-inf', now, 'LIMIT', 0, MOVED_MAX)) do
    redis.call('ZREM', at('leased'), key)
    local job = redis.call('HMGET', at('job', key), 'batch', 'attempts')
    if job[1] then
      if tonumber(job[2]) >= attempts_max then
        give_up(key, 'Its worker ended without a result, ' .. job[2] .. ' times.', dead_ms)
      else
        wait(key, job[1])
      end
    end
  end
end

local function arguments(from)
  local given = {}
  for index = from, #ARGV do given[#given + 1] = ARGV[index] end
  return given
end

local operations = {}

function operations.put(batch)
  for index = 3, #ARGV, 2 do
    local key, payload = ARGV[index], ARGV[index + 1]
    local job = at('job', key)
    if redis.call('EXISTS', job) == 0 then
      redis.call('HSET', job, 'batch', batch, 'payload', payload, 'attempts', 0, 'put', now)
      wait(key, batch)
    end
  end
  return {}
end

function operations.ends(count)
  local ends = {}
  for index = 3, #ARGV do
    local job = redis.call('HMGET', at('job', ARGV[index]), 'state', 'text')
    if (job[1] == 'done' or job[1] == 'dead') and #ends < tonumber(count) then
      ends[#ends + 1] = {ARGV[index], job[1] == 'dead' and 1 or 0, job[2]}
    end
  end
  return ends
end

function operations.forget()
  for _, key in ipairs(arguments(2)) do
    if redis.call('HGET', at('job', key), 'state') == 'done' then
      redis.call('DEL', at('job', key))
    end
  end
  return {}
end

function operations.cancel(batch)
  local removed = 0
  for _, key in ipairs(redis.call('LRANGE', at('wait', batch), 0, -1)) do
    removed = removed + redis.call('DEL', at('job', key))
  end
  redis.call('DEL', at('wait', batch))
  redis.call('LREM', at('batches'), 0, batch)
  local function remove(keys)
    for _, key in ipairs(keys) do
      if redis.call('HGET', at('job', key), 'batch') == batch then
        redis.call('ZREM', at('late'), key)
        redis.call('LREM', at('again'), 1, key)
        removed = removed + redis.call('DEL', at('job', key))
      end
    end
  end
  remove(redis.call('ZRANGE', at('late'), 0, -1))
  remove(redis.call('LRANGE', at('again'), 0, -1))
  return removed
end

function operations.lease(count, retry, lease_ms, attempts_max, dead_ms)
  tidy(tonumber(attempts_max), dead_ms)
  local leases = {}
  local function lease(key)
    local job = redis.call('HMGET', at('job', key), 'batch', 'payload')
    if job[1] then
      local token = redis.call('INCR', at('token'))
      redis.call('HSET', at('job', key), 'state', 'leased', 'token', token)
      redis.call('ZADD', at('leased'), now + lease_ms, key)
      local attempt = redis.call('HINCRBY', at('job', key), 'attempts', 1)
      leases[#leases + 1] = {key, job[1], job[2], token, attempt}
    end
  end
  if retry == '1' then
    local key = redis.call('LPOP', at('again'))
    if key then lease(key) end
  end
  while #leases < tonumber(count) do
    local batch = redis.call('LPOP', at('batches'))
    if not batch then break end
    lease(redis.call('LPOP', at('wait', batch)))
    if redis.call('LLEN', at('wait', batch)) > 0 then
      redis.call('RPUSH', at('batches'), batch)
    end
  end
  return leases
end

function operations.renew(lease_ms)
  local held = {}
  for index = 3, #ARGV, 2 do
    if holds(ARGV[index], ARGV[index + 1]) then
      redis.call('ZADD', at('leased'), now + lease_ms, ARGV[index])
      held[#held + 1] = ARGV[index]
    end
  end
  return held
end

function operations.finish(key, token, result, keep_ms)
  if not holds(key, token) then return 0 end
  redis.call('ZREM', at('leased'), key)
  finish(key, 'done', result, keep_ms)
  return 1
end

function operations.fail(key, token, error, retry_ms, attempts_max, dead_ms)
  if not holds(key, token) then return 0 end
  redis.call('ZREM', at('leased'), key)
  local attempts = tonumber(redis.call('HGET', at('job', key), 'attempts'))
  if attempts >= tonumber(attempts_max) then
    give_up(key, error, dead_ms)
  else
    redis.call('HSET', at('job', key), 'state', 'late', 'token', 0)
    redis.call('ZADD', at('late'), now + retry_ms * 2 ^ (attempts - 1), key)
  end
  return 1
end

function operations.give_back(key, token)
  if not holds(key, token) then return 0 end
  redis.call('ZREM', at('leased'), key)
  redis.call('HINCRBY', at('job', key), 'attempts', -1)
  wait(key, redis.call('HGET', at('job', key), 'batch'), true)
  return 1
end

function operations.report(name, report, keep_ms)
  redis.call('SET', at('worker', name), report, 'PX', keep_ms)
  redis.call('ZADD', at('workers'), now, name)
  redis.call('ZREMRANGEBYSCORE', at('workers'), '-inf', now - keep_ms)
  return {}
end

function operations.leave(name)
  redis.call('DEL', at('worker', name))
  redis.call('ZREM', at('workers'), name)
  return {}
end

function operations.state()
  local waiting, oldest = redis.call('ZCARD', at('late')), now
  local function count(list)
    local length = redis.call('LLEN', list)
    if length > 0 then
      local first = redis.call('HGET', at('job', redis.call('LINDEX', list, 0)), 'put')
      oldest = math.min(oldest, tonumber(first or now))
      waiting = waiting + length
    end
  end
  count(at('again'))
  for _, batch in ipairs(redis.call('LRANGE', at('batches'), 0, -1)) do
    count(at('wait', batch))
  end
  local reports = {}
  for _, name in ipairs(redis.call('ZRANGE', at('workers'), 0, -1)) do
    local report = redis.call('GET', at('worker', name))
    if report then reports[#reports + 1] = report end
  end
  local running, dead = redis.call('ZCARD', at('leased')), redis.call('ZCARD', at('dead'))
  return {waiting, running, dead, now - oldest, reports}
end

function operations.dead(count)
  local letters = {}
  for _, key in ipairs(redis.call('ZREVRANGE', at('dead'), 0, count - 1)) do
    local job = redis.call('HMGET', at('job', key), 'batch', 'payload', 'text', 'attempts')
    if job[1] then
      local age = now - redis.call('ZSCORE', at('dead'), key)
      letters[#letters + 1] = {key, job[1], job[2], job[3], job[4], age}
    end
  end
  return letters
end

function operations.retry()
  local moved = 0
  for _, key in ipairs(arguments(2)) do
    if redis.call('ZREM', at('dead'), key) == 1 then
      local batch = redis.call('HGET', at('job', key), 'batch')
      if batch then
        redis.call('PERSIST', at('job', key))
        redis.call('HSET', at('job', key), 'attempts', 0, 'put', now)
        wait(key, batch)
        moved = moved + 1
      end
    end
  end
  return moved
end

function operations.drop()
  local dropped = 0
  for _, key in ipairs(arguments(2)) do
    if redis.call('ZREM', at('dead'), key) == 1 then
      dropped = dropped + redis.call('DEL', at('job', key))
    end
  end
  return dropped
end

return operations[ARGV[1]](unpack(ARGV, 2, math.min(#ARGV, 8)))
