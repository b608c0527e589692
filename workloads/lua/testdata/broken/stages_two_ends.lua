-- Broken: stages two ends
-- error: stages_two_ends.lua:6: stages[2]: it takes one of batches, operations, duration (seconds) and settle; hint: batches = math.huge if event ends the run by returning false | { name = "hot", batches = 10, duration = 5 },
shape = { n = 1000, load = 0.8 }
stages = {
  { name = "warm", batches = 10 },
  { name = "hot", batches = 10, duration = 5 },
}
function event(t, i) end
