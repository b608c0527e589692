-- Broken: shape scheme
-- error: shape_scheme.lua:4: shape.schemes.bch: unknown scheme "bch": did you mean bcht? | schemes = { bch = { bucket = 8 } } }
shape = { n = 1000, load = 0.8,
  schemes = { bch = { bucket = 8 } } }
function prepare(t) end
