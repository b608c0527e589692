-- Broken: find wide
-- error: find_wide.lua:5: t:find: keys can be as large as 18446744073709551615, the keys of a k4v4 table are at most 4294967295; hint: % 2^32 brings them into range, or use k8v8 | t:find(gen.random{ count = 100 })
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:find(gen.random{ count = 100 })
end
