-- Broken: file outside
-- error: file_outside.lua:5: gen.file: "../../etc/passwd" is not in the script's folder, and scripts can read no other files unless --file gives them | t:insert(gen.file("../../etc/passwd", { column = "id", format = "csv" }), 1)
shape = { n = 1000, load = 0.8 }
function prepare(t)
  t:insert(gen.file("../../etc/passwd", { column = "id", format = "csv" }), 1)
end
