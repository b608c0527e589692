-- YCSB workload E, short ranges: refused, a hash table has no order to scan in.
error("workload E is 95 percent range scans, and a hash table keeps its keys in no order that could be scanned; "
  .. "ycsb/a, b, c, d and f run", 0)
