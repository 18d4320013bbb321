-- What the Redis server says of itself (redis.io, "INFO"): version, whether it has an append-only
-- file, its memory limit in bytes (0 for none), and what it does at this limit.

local info = redis.call('INFO')

local function field(name)
  return string.match(info, '[\r\n]' .. name .. ':([^\r\n]*)') or ''
end

return {
  field('redis_version'), field('aof_enabled'), field('maxmemory'), field('maxmemory_policy')
}
