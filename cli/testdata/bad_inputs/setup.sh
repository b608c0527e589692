# The files that inputs.txt names.
set -e
mkdir folder
echo 'sweep{ script = "quickstart" }' >plan.lua
echo 'sweep{ axes = { load = 0.5 } }' >noscript.lua
echo 'nothing' >trash.rec
printf 'id,what\n1,read\n2,write\n' >trace.csv
printf 'op,id\nget,x,y\n' >bad.csv
printf -- '-- Broken\nshape = {\n' >syntax.lua
: >empty.lua
printf -- '-- Later\nshape = { n = 10, load = 0.5 }\nfunction prepare(t)\n  t:upsert(gen.keys{}:take(10), 1)\nend\n' >later.lua
printf -- '-- A threshold\nshape = { n = 10, load = 0.5 }\nthresholds = { "isnert.mops > 1" }\nfunction prepare(t) t:insert(gen.keys{}:take(10), 1) end\n' >threshold.lua
printf -- '-- A number\nshape = { n = "many", load = 0.5 }\nfunction prepare(t) end\n' >number.lua
printf '\033Lua' >binary.lua
hashzoo run quickstart --schemes bcht --set n=1k --axis load=0.5 --record quick.rec --quiet >/dev/null
head -c 900 quick.rec >cut.rec
