-- Broken: syntax end missing
-- error: syntax_end_missing.lua:7: the file ends too early; hint: check for a missing end or bracket | end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  if t:size() > 0 then
    t:clear()
end
