-- The host side of linear probing: when a table gets other memory, and how its pairs
-- go there. docs/host.md explains what is used here.

-- Moves all pairs to a table with `slots` slots. If they find no room there, which only
-- happens if walks are bounded, nothing changes.
local function move(t, slots)
  local all = t:pairs()
  local old = t:swap(t:make{ capacity = slots })
  local moved = t:launch(all)
  if moved.failed == 0 then return true end
  t:swap(old)
  t:note(string.format("not moved to %d slots: %d pairs would have found no room within max_probes", slots, moved.failed))
  return false
end

-- The slots needed for `pairs` pairs: the present number, doubled until the load is below beta.
local function enough(t, pairs)
  local slots = t.capacity
  while pairs * 100 > slots * t.param.beta do slots = 2 * slots end
  return slots
end

-- The slots after erases: half as many as long as fewer than alpha percent are filled and beta is kept.
local function fewer(t)
  local slots, pairs = t.capacity, 100 * t.size
  while slots > 1 and pairs < slots * t.param.alpha and pairs <= slots / 2 * t.param.beta do
    slots = math.ceil(slots / 2)
  end
  return slots
end

-- Brings the table back between its bounds. Only erases make it smaller: it may have been made large on purpose.
local function fit(t, done)
  if done.removed > 0 then t:keep(t.kept + done.removed) end
  local slots = enough(t, t.size)
  if slots == t.capacity and done.removed > 0 then slots = fewer(t) end
  if slots ~= t.capacity then move(t, slots) end
  return done
end

-- How many pairs are left over since there was no room. An insert of a key that is there
-- fails too, and takes none.
local function homeless(t, done)
  if done.failed == 0 then return 0 end
  return t:launch(t:left(done, "find")).missing
end

-- What fails makes the table grow, and is tried again. The first time, the slots may do
-- that there are: markers of erased pairs have taken them. A table that is nearly empty
-- then is not doubled: its keys want the same slots, and more do not help.
local function grown(t, done)
  local slots, out = t.capacity, homeless(t, done)
  while out > 0 do
    slots = math.max(slots, enough(t, t.size + out))
    if not move(t, slots) then break end
    done = t:again(done)
    slots, out = 2 * slots, homeless(t, done)
    if (t.size + out) * 10 < slots then break end
  end
  return done
end

-- How many pairs inserts bring in is known, if their keys are new. So the table grows before
-- them, or gets rid of markers if these take its room: each insert that finds no room would look
-- at max_probes buckets first. How many keys of upserts and mixed batches are new shows only
-- when they are in. What is kept is the number of markers.
local function ahead(t, batch)
  local pairs = t.size + batch.n
  local markers = t.kept > t.capacity / 20 and t.kept or 0
  if batch.op == "insert" and pairs + markers > 0.95 * t.capacity then move(t, enough(t, pairs)) end
end

function insert(t, batch)
  if t.param.resize == "manual" then return t:launch(batch) end
  ahead(t, batch)
  return fit(t, grown(t, t:launch(t:remember(batch))))
end

upsert, mix = insert, insert
add, min, max, tally = insert, insert, insert, insert

function erase(t, batch)
  local done = t:launch(batch)
  return t.param.resize == "auto" and fit(t, done) or done
end

-- A flush makes room of what was erased.
function flush(t) move(t, t.capacity) end

-- A resize gives the slots that are asked for, or those that the pairs need.
function resize(t, asked)
  local least = math.max(1, math.ceil(t.size * 100 / t.param.beta))
  if asked.n > 0 and asked.n < least then
    t:note(string.format("%d slots are too few for %d pairs", asked.n, t.size))
  end
  move(t, math.max(asked.n, least))
end
