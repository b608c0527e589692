-- Broken: require missing
-- error: require_missing.lua:3: require: module no_such_module not found: no file no_such_module.lua in the script's folder | local lib = require "no_such_module"
local lib = require "no_such_module"
shape = { n = 1000, load = 0.8 }
function prepare(t) end
