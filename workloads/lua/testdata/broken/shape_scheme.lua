-- Broken: shape scheme
-- error: shape_scheme.lua:4: shape.schemes.bhct: unknown scheme "bhct": did you mean bcht or 1cht? | schemes = { bhct = { bucket = 8 } } }
shape = { n = 1000, load = 0.8,
  schemes = { bhct = { bucket = 8 } } }
function prepare(t) end
