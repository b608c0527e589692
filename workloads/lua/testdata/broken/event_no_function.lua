-- Broken: event no function
-- error: event_no_function.lua:5: event is 5, it takes a function | event = 5
shape = { n = 1000, load = 0.8 }
stages = { batches = 10 }
event = 5
