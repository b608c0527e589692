-- Broken: shape load text
-- error: shape_load_text.lua:5: shape.load is "80%", it takes a number, 0 to 1 | load = "80%",
shape = {
  n = 1000,
  load = "80%",
}
function prepare(t) end
