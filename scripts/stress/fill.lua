-- Fill a table percent by percent, until an insert finds no room.
-- "fills to" is the load factor up to which all found room, in slots that the table had at first;
-- "grows" says whether it took more memory instead.
options = { capacity = { 1e5, "slots of the table", min = 100 } }
shape = { capacity = opt.capacity }
stages = { { name = "fill", batches = 100 } }
plots = { { x = "scheme", y = "fills to" } }

local keys = gen.keys{ seed = "keys" }
local slots, bytes, reached, grows -- of the table at first; and of the fill

function event(t, i)
  if i == 1 then slots, bytes = t:capacity(), t:bytes() end
  local from, to = math.floor(slots * (i - 1) / 100), math.floor(slots * i / 100)
  local part = keys:slice(from, to - from)
  if t:insert(part, part + 1).failed > 0 then return false end
  reached, grows = to / slots, i == 100 and (t:capacity() ~= slots or t:bytes() ~= bytes)
end

function done()
  return { ["fills to"] = reached or 0, grows = grows or false }
end
