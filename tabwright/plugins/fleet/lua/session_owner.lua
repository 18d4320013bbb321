-- Who has a session of a fleet, and its saved state. The twin of this script is
-- tabwright/testing/fleet/sessions.py.
--
-- KEYS: the sessions (hashes); all operations but `renew` have one
-- ARGV: 1 the operation, 2 the process, then the arguments of the operation
-- Fields: owner, epoch, until (the end of the lease), requested_until (another process waits for it),
--   last (the owner before), live and live_until (the state of the open session), kept (the state
--   that was saved for later), channel (that the owner is subscribed to while it lives), run (of the
--   Redis server that had this subscription at the last renewal; empty if none had)

local KEPT_MS = 30 * 86400 * 1000
local clock = redis.call('TIME')
local now = tonumber(clock[1]) + tonumber(clock[2]) / 1e6
local operation, process = ARGV[1], ARGV[2]

local function exact(number)
  return string.format('%.6f', number)
end

-- What a user of Redis may not ask is nil.
local function subscribers(channel)
  local reply = redis.pcall('PUBSUB', 'NUMSUB', channel)
  return not reply.err and tonumber(reply[2]) or nil
end

local function run_here()
  local reply = redis.pcall('INFO', 'server')
  return type(reply) == 'string' and string.match(reply, 'run_id:(%w+)') or ''
end

local function run_of_subscription(channel)
  return (subscribers(channel) or 0) > 0 and run_here() or ''
end

local function read(key)
  local names = {
    'owner', 'epoch', 'until', 'requested_until', 'last', 'live', 'live_until', 'kept', 'channel', 'run'
  }
  local session = {}
  for index, value in ipairs(redis.call('HMGET', key, unpack(names))) do
    session[names[index]] = value or ''
  end
  for _, name in ipairs({'epoch', 'until', 'requested_until', 'live_until'}) do
    session[name] = tonumber(session[name]) or 0
  end
  return session
end

local function is_owner(session, epoch)
  return session.owner == process and session.epoch == tonumber(epoch)
end

local function write(key, ...)
  redis.call('HSET', key, ...)
  redis.call('PEXPIRE', key, KEPT_MS)
end

if operation == 'renew' then
  -- how long the lease is, how long a live state lasts, the channel of the process, the epochs
  local replies, run = {}, run_of_subscription(ARGV[5])
  for index, key in ipairs(KEYS) do
    local session = read(key)
    if is_owner(session, ARGV[5 + index]) then
      local live_until = exact(now + tonumber(ARGV[4]))
      write(key, 'until', exact(now + tonumber(ARGV[3])), 'live_until', live_until,
        'channel', ARGV[5], 'run', run)
      replies[index] = session.requested_until > now and 2 or 1
    else
      replies[index] = 0
    end
  end
  return replies
end

local key = KEYS[1]
local session = read(key)

if operation == 'acquire' then
  -- how long the lease is, how long the request lasts, how long it is when the connection of the
  -- owner has ended, the channel of the process, whether only an open session is wanted
  if session.owner ~= '' and session['until'] > now and session.owner ~= process then
    write(key, 'requested_until', exact(now + tonumber(ARGV[4])))
    if session.run ~= '' and subscribers(session.channel) == 0 and run_here() == session.run then
      write(key, 'until', exact(math.min(session['until'], now + tonumber(ARGV[5]))), 'run', '')
    end
    return {0, session.epoch, session.owner, '', ''}
  end
  local live = session.live_until > now and session.live or ''
  local before = session.owner ~= '' and session.owner or session.last
  if ARGV[7] == '1' and live == '' then return {2, session.epoch, before, '', session.kept} end
  local epoch = session.epoch + 1
  write(key, 'owner', process, 'epoch', epoch, 'until', exact(now + tonumber(ARGV[3])),
    'requested_until', '0', 'channel', ARGV[6], 'run', run_of_subscription(ARGV[6]))
  return {1, epoch, before, live, session.kept}
end

if not is_owner(session, ARGV[3]) then return 0 end

if operation == 'save' then  -- the epoch, the state, how long it lasts, whether to keep it
  write(key, 'live', ARGV[4], 'live_until', exact(now + tonumber(ARGV[5])))
  if ARGV[6] == '1' then write(key, 'kept', ARGV[4]) end
elseif operation == 'release' then  -- the epoch, how: moves, closes or forgets
  write(key, 'owner', '', 'until', '0', 'requested_until', '0', 'last', process)
  if ARGV[4] ~= 'moves' then redis.call('HDEL', key, 'live', 'live_until') end
  if ARGV[4] == 'forgets' then redis.call('HDEL', key, 'kept') end
end
return 1
