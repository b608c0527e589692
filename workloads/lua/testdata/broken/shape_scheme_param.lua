-- Broken: shape scheme param
-- error: shape_scheme_param.lua:5: shape.schemes.bcht.bukket: scheme bcht: unknown parameter "bukket": did you mean bucket? | bukket = 8 } } }
shape = { n = 1000, load = 0.8,
  schemes = { bcht = {
    bukket = 8 } } }
function prepare(t) end
