-- The host side of Mega-KV's index: rebuilds, and tables that double and halve as a whole,
-- as the measurements of DyCuckoo have it. docs/host.md explains what is used here.

-- Moves all pairs to a table with `slots` slots. If some find no room there, nothing changes.
local function move(t, slots)
  local all = t:pairs()
  local old = t:swap(t:make{ capacity = slots })
  local moved = t:launch(all)
  if moved.failed == 0 then return end
  t:swap(old)
  t:note(string.format("not moved to %d slots: %d pairs would have found no room", slots, moved.failed))
end

-- The slots needed for `pairs` pairs: the present number, doubled until the load is below beta.
local function enough(t, pairs)
  local slots = t.capacity
  while pairs * 100 > slots * t.param.beta do slots = 2 * slots end
  return slots
end

-- What finds no room is inserted anew together with all other pairs, `attempts` times: with other hash functions, or in a
-- table twice as large. That does not help pairs whose keys are in the table twice, or if it is nearly empty.
local function again(t, done, attempts, grow)
  for attempt = 1, attempts do
    if done.failed == 0 then break end
    if grow and t:launch(t:left(done, "find")).missing == 0 then break end
    local all = t:pairs(done)
    t:swap(t:make{ capacity = grow and 2 * t.capacity or t.capacity, reseed = not grow })
    done = t:launch(all)
    t:note(string.format("%s, %d times", grow and "doubled" or "rebuilt", attempt))
    if grow and (t.size + done.pairs) * 10 < t.capacity then break end
  end
  return done
end

function insert(t, batch)
  if t.param.resize == "auto" then
    local slots = enough(t, t.size + batch.n)
    if slots > t.capacity then move(t, slots) end
    return again(t, t:launch(batch), 40, true)
  end
  return again(t, t:launch(batch), t.param.on_failure == "rebuild" and t.param.rebuilds or 0, false)
end

-- Erases that leave less than alpha halve the table.
function erase(t, batch)
  local done, slots = t:launch(batch), t.capacity
  if t.param.resize == "manual" then return done end
  local pairs = 100 * t.size
  while slots > t.param.bucket and pairs < slots * t.param.alpha and pairs <= slots / 2 * t.param.beta do
    slots = math.ceil(slots / 2)
  end
  if slots < t.capacity then move(t, slots) end
  return done
end

-- A resize gives the slots that are asked for, or those that the pairs need.
function resize(t, asked)
  local least = math.max(1, math.ceil(t.size * 100 / t.param.beta))
  if asked.n > 0 and asked.n < least then
    t:note(string.format("%d slots are too few for %d pairs", asked.n, t.size))
  end
  move(t, math.max(asked.n, least))
end
