-- What the Redis server says of itself (redis.io, "INFO"): version, whether it has an append-only
-- file, its memory limit in bytes (0 for none), and what it does at this limit. What it does not say
-- is empty: a user without the category `dangerous` may not ask.

local info = redis.pcall('INFO')
if type(info) ~= 'string' then info = '' end

local function field(name)
  return string.match(info, '[\r\n]' .. name .. ':([^\r\n]*)') or ''
end

return {
  field('redis_version'), field('aof_enabled'), field('maxmemory'), field('maxmemory_policy')
}
