-- Broken: options default
-- error: options_default.lua:6: options.sizes: the default is a table, it takes a number, a text or a boolean | sizes = { { 1, 2 }, "sizes" },
options = {
  n = 1000,
  help = { true, "show help" },
  sizes = { { 1, 2 }, "sizes" },
}
shape = { n = 1000, load = 0.8 }
function prepare(t) end
