-- Broken: require outside
-- error: require_outside.lua:3: require: "../secrets" is not a module name: it takes names such as keys or util.keys, of files in the script's own folder | local lib = require "../secrets"
local lib = require "../secrets"
shape = { n = 1000, load = 0.8 }
function prepare(t) end
