-- Broken: done field
-- error: done_field.lua:8: results.insert: unknown result "mop": did you mean mops? | return { speed = s.insert.mop }
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.unique{ n = 100 }, 1)
end
function done(s)
  return { speed = s.insert.mop }
end
