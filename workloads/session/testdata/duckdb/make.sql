-- How DuckDB 1.1.3 made the files of this folder: three tables of trips, one of zones, and its answers to what
-- contents_test.go asks.
copy (
  select (range * 7919) % 13 + 1 as zone,
    cast(((range * 31) % 10007) / 100.0 - 50 as decimal(10, 2)) as fare,
    date '1969-12-01' + cast(range % 28 as int) as day,
    timestamp '1969-12-31 23:59:00' + interval (range % 50) second + interval (range % 2 * 250) millisecond as at,
    case range % 3 when 0 then 'cash' when 1 then 'card, "credit"' else 'überweisung' end as pay,
    range % 2 = 0 as flag,
    cast(range % 20 - 10 as integer) * 3 as delta,
    cast((range * 17) % 97 as double) / 4 as tip
  from range(300)
) to 'trips.parquet' (format parquet, compression zstd);
copy (select zone, fare, pay, delta, tip from 'trips.parquet') to 'trips.csv';
copy (select zone, fare, pay, delta, tip from 'trips.parquet') to 'trips.ndjson' (format json);
copy (select range + 1 as zone, range * range as area from range(12)) to 'zones.csv';

copy (select pay, zone, sum(fare) as fare from 'trips.parquet' group by all order by all) to 'fares.csv';
copy (select delta, sum(tip::decimal(18, 2)) as tip from 'trips.parquet' group by all order by all) to 'tips.csv';
copy (select day, count(*) as count from 'trips.parquet' group by all order by all) to 'day.csv';
copy (select at, count(*) as count from 'trips.parquet' group by all order by all) to 'at.csv';
copy (select flag, count(*) as count from 'trips.parquet' group by all order by all) to 'flag.csv';
copy (select t.zone, z.rowid - 1 as left_row, t.file_row_number as right_row
  from (from read_parquet('trips.parquet', file_row_number = true)) t join
    (select zone, row_number() over () as rowid from 'zones.csv') z using (zone) order by right_row) to 'join.csv';
