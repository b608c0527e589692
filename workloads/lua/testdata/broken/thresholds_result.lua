-- Broken: thresholds result
-- error: thresholds_result.lua:6: threshold "find.mop > 1": unknown result "mop": did you mean mops? | "find.mop > 1",
shape = { n = 1000, load = 0.8 }
thresholds = {
  "insert.failed == 0",
  "find.mop > 1",
}
function prepare(t) end
