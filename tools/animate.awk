# Joins pictures of a terminal to one that moves: awk -f tools/animate.awk SECONDS FRAME SECONDS FRAME ... >out.svg
# A frame is an SVG that the terminal interface wrote, or a text from a terminal. What stays from a frame to the next
# is written once. Readers who want no motion see the last SVG. LC_ALL=C: characters are counted here.
BEGIN {
  frames = 0
  for (i = 1; i < ARGC; i += 2) {
    begins[frames] = total
    total += ARGV[i]
    if (ARGV[i + 1] ~ /\.svg$/) { picture(ARGV[i + 1]); still = frames }
    else screen(ARGV[i + 1])
    frames++
  }
  write()
}

# picture takes the shapes of an SVG.
function picture(file,   line, inside, begun) {
  begun = head != ""
  while ((getline line <file) > 0) {
    if (line ~ /^<\/g>/) inside = 0
    if (inside) keep(line)
    else if (!begun && line !~ /^<\//) head = head line "\n"
    if (line ~ /^<g/) inside = 1
  }
}

# screen draws a text: each word has its own position, commands are bold, and their comments gray.
function screen(file,   line, y, x, look, word) {
  for (y = 13; (getline line <file) > 0; y += 17) {
    look = line ~ /^\$ / ? " font-weight=\"bold\"" : ""
    for (x = 0; match(line, /[^ ]+/); line = substr(line, RSTART + RLENGTH)) {
      x += RSTART - 1
      word = substr(line, RSTART, RLENGTH)
      if (look && word == "#") look = " fill=\"#8a8f98\""
      keep(sprintf("<text x=\"%d\" y=\"%d\"%s>%s</text>", 8 * x, y, look, escaped(word)))
      x += RLENGTH - gsub(/[\200-\277]/, "", word)
    }
  }
}

function escaped(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}

# keep adds a shape to this frame. One that the frame before had, too, lasts longer.
function keep(shape) {
  if (!(shape in last) || last[shape] < frames - 1) {
    first[++shapes] = frames
    text[shapes] = shape
    number[shape] = shapes
  }
  last[shape] = until[number[shape]] = frames
}

# write writes backgrounds before what stands on them.
function write(   i, name, style) {
  for (i = 1; i <= shapes; i++) {
    name = first[i] "-" until[i]
    if (!(name in drawn)) { order[++names] = name; drawn[name] = ""; from[name] = first[i]; to[name] = until[i] }
    if (text[i] ~ /^<rect/) under[name] = under[name] text[i] "\n"
    else drawn[name] = drawn[name] text[i] "\n"
  }
  for (i = 1; i <= names; i++) style = style rule(order[i])
  sub(/\n/, "\n<style>\ng g { visibility: hidden }\n.still { visibility: visible }\n" \
    "@media (prefers-reduced-motion: no-preference) {\ng g { animation: " total "s step-end infinite }\n" style "}\n</style>\n", head)
  printf "%s", head
  for (i = 1; i <= names; i++) if (under[order[i]]) group(order[i], under[order[i]])
  for (i = 1; i <= names; i++) if (drawn[order[i]]) group(order[i], drawn[order[i]])
  print "</g>\n</svg>"
}

# rule shows a group from its first frame to its last.
function rule(name,   a, b) {
  a = from[name] ? "0% { visibility: hidden } " percent(from[name]) " { visibility: visible }" : "0% { visibility: visible }"
  b = to[name] < frames - 1 ? " " percent(to[name] + 1) " { visibility: hidden }" : ""
  return ".f" name " { animation-name: f" name " }\n@keyframes f" name " { " a b " }\n"
}

function percent(frame) { return sprintf("%.4g%%", 100 * begins[frame] / total) }

function group(name, shapes) {
  printf "<g class=\"f%s%s\">\n%s</g>\n", name, from[name] <= still && still <= to[name] ? " still" : "", shapes
}
