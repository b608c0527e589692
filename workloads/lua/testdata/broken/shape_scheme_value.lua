-- Broken: shape scheme value
-- error: shape_scheme_value.lua:3: shape.schemes.bcht.bucket: scheme bcht: parameter bucket is "7": it takes 1, 2, 4, 8, 16, 32 | shape = { n = 1000, load = 0.8, schemes = { bcht = { bucket = 7 } } }
shape = { n = 1000, load = 0.8, schemes = { bcht = { bucket = 7 } } }
function prepare(t) end
