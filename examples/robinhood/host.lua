-- The host side of Robin Hood hashing: what takes more than a launch.

-- A flush makes room of what was erased: all pairs go to fresh memory. There they come in
-- another order, so one may find no room within max_probes; then all stays as it was.
function flush(t)
  local all = t:pairs()
  local old = t:swap(t:make{ capacity = t.capacity })
  local moved = t:launch(all)
  if moved.failed > 0 then
    t:swap(old)
    t:note(string.format("not flushed: %d pairs would have found no room within max_probes", moved.failed))
  end
end
