-- Broken: syntax bytecode
-- error: syntax_bytecode.lua:3: invalid token near "\x1b" | ?Lua Q rubbish
Lua Q rubbish
