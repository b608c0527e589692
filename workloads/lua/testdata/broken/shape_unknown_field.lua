-- Broken: shape unknown field
-- error: shape_unknown_field.lua:5: shape: unknown field "lode": did you mean load? | lode = 0.8,
shape = {
  n = 1000,
  lode = 0.8,
}
function prepare(t) end
