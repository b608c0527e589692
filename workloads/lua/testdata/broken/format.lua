-- Broken: format
-- error: format.lua:5: string.format: value 1 is "many": %d takes a number | print(string.format("%d pairs", "many"))
shape = { n = 1000, load = 0.8 }
function prepare(t)
  print(string.format("%d pairs", "many"))
end
