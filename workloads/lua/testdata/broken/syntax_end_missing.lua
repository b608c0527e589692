-- Broken: syntax end missing
-- error: syntax_end_missing.lua:7: the file ends here, where more should come: an end, or a bracket | end
shape = { n = 1000, load = 0.8 }
function prepare(t)
  if t:size() > 0 then
    t:clear()
end
