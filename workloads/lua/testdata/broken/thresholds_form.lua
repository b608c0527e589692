-- Broken: thresholds form
-- error: thresholds_form.lua:4: threshold "find.mops is high": write a result, a comparison and a number, as in "find.mops > 1" | thresholds = { "find.mops is high" }
shape = { n = 1000, load = 0.8 }
thresholds = { "find.mops is high" }
function prepare(t) end
