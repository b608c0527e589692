-- YCSB workload E, short ranges: refused, because a hash table has no key order to scan.
error("workload E is 95 percent range scans, and a hash table keeps its keys in no order; hint: "
  .. "ycsb/a, b, c, d and f run", 0)
