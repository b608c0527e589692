-- Broken: syntax goto
-- error: syntax_goto.lua:5: no visible label 'there' for <goto> | goto there
shape = { n = 1000, load = 0.8 }
function prepare(t)
  goto there
end
