"""Random operations beside a dict, arguments that are wrong, threads, and streams."""

import array
import threading
import unittest

import numpy
from zoo import MAX_LOAD, PAIRS, PLACES, SEVERAL, WORK, Error, ReservedKeys, Table, TableFull

HOST = PLACES[0]
GPUS = [p for p in PLACES if p.device != "cpu"]


def has(*names):
    return all(hasattr(Table, n) for n in names)


class Beside:
    """A table and a dict with the same pairs."""

    def __init__(self, test, place, bits, n):
        self.test, self.place = test, place
        self.key, self.value = (f"uint{b}" for b in bits)
        self.table = place.table(n, self.key, self.value, 0.9 * MAX_LOAD, seed=7)
        self.pairs, self.random = {}, numpy.random.default_rng(1)
        self.known = numpy.empty(0, self.key)

    def rows(self, n):
        """n different keys, about half of which were once inserted, and values."""
        new = self.random.integers(0, 2**32 - 2, n, "uint64").astype(self.key)
        if len(self.known):
            new[::2] = self.random.choice(self.known, len(new[::2]))
        keys = numpy.unique(new)
        self.random.shuffle(keys)
        return keys, self.random.integers(0, 2 ** (8 * numpy.dtype(self.value).itemsize) - 1, len(keys), self.value)

    def back(self, arrays):
        return tuple(self.place.back_as(a, name) for a, name in zip(arrays, (self.value, "bool")))

    def insert(self, n):
        keys, values = self.rows(n)
        new = ~numpy.isin(keys, list(self.pairs))
        keys, values = keys[new], values[new]
        counts = self.table.insert(self.place.make(keys), self.place.make(values))
        self.test.assertEqual((counts.ok, counts.added), (len(keys), len(keys)))
        self.pairs.update(zip(keys.tolist(), values.tolist()))
        self.known = numpy.append(self.known, keys)

    def find(self):
        keys, _ = self.rows(5000)
        want = numpy.array([k in self.pairs for k in keys.tolist()])
        given = self.place.make(keys)
        values, found = self.back(self.table.find(given))
        numpy.testing.assert_array_equal(found, want)
        numpy.testing.assert_array_equal(values[found], [self.pairs[k] for k in keys[want].tolist()])
        self.test.assertTrue((values[~found] == values.dtype.type(~numpy.uint64(0))).all())
        out = self.place.make(values.copy()), self.place.make(~found)
        self.test.assertIs(self.table.find(given, out=out)[1], out[1])
        numpy.testing.assert_array_equal(self.back(out)[1], want)
        numpy.testing.assert_array_equal(self.place.back(self.table.contains(given)), want)

    def changes(self):
        def put(k, v):
            self.pairs[k] = v

        self.change("update", lambda k, v: k in self.pairs and put(k, v))
        self.change("upsert", put)
        self.change("add", lambda k, v: put(k, (self.pairs.get(k, 0) + v) % 2 ** (8 * numpy.dtype(self.value).itemsize)))
        self.change("min", lambda k, v: put(k, min(self.pairs.get(k, v), v)))
        self.change("max", lambda k, v: put(k, max(self.pairs.get(k, v), v)))
        self.change("tally", lambda k, v: put(k, self.pairs.get(k, 0) + 1), takes=1)
        self.change("erase", lambda k, v: self.pairs.pop(k, None), takes=1)
        if has("flush"):
            self.table.flush()

    def change(self, op, pairs, takes=2):
        if not has(op):
            return
        rows = self.rows(1000)
        status = self.place.make(numpy.zeros(len(rows[0]), "uint8"))
        there = numpy.array([k in self.pairs for k in rows[0].tolist()])
        counts = getattr(self.table, op)(*[self.place.make(a) for a in rows[:takes]], status=status)
        self.test.assertEqual(counts.ok + counts.missing + counts.replaced, len(rows[0]), f"{op}: {counts}")
        changes = op in ("update", "erase")
        want = numpy.where(there, 1 if changes else 5, 3 if changes else 1)
        numpy.testing.assert_array_equal(self.place.back(status), want, op)
        for k, v in zip(*[a.tolist() for a in rows]):
            pairs(k, v)

    def listed(self, op):
        if not has(op):
            return
        keys, _ = self.rows(1000)
        rows, values = getattr(self.table, op)(self.place.make(keys))
        rows, values = self.place.back_as(rows, "uint32"), self.place.back_as(values, self.value)
        want = [i for i, k in enumerate(keys.tolist()) if k in self.pairs]
        self.test.assertEqual(sorted(rows.tolist()) if op == "find_all" else rows.tolist(), want)
        numpy.testing.assert_array_equal(values, [self.pairs[k] for k in keys[rows].tolist()])

    def contents(self):
        keys, values = self.table.items()
        got = dict(zip(self.place.back_as(keys, self.key).tolist(), self.place.back_as(values, self.value).tolist()))
        self.test.assertEqual(len(self.table), len(self.pairs))
        self.test.assertEqual(got, self.pairs)


class TestTable(unittest.TestCase):
    def test_beside_a_dict(self):
        for place in PLACES:
            for bits in PAIRS:
                with self.subTest(place=place, bits=bits):
                    self.beside(Beside(self, place, bits, 20000))

    def beside(self, b):
        for _ in range(4):
            b.insert(2000)
            b.find()
            b.changes()
            b.listed("retrieve")
            b.listed("find_all")
            b.contents()
        if has("resize"):
            self.assertTrue(b.table.resize(2 * b.table.capacity))
            b.contents()
        b.table.clear()
        b.pairs.clear()
        b.contents()

    def test_types(self):
        """Numbers of a width are taken for each other; results have the table's type, and torch's are signed."""
        for place in PLACES:
            with self.subTest(place=place), place.table(100, "int32", "float32") as table:
                keys, values = numpy.arange(-60, -50, dtype="int32"), numpy.linspace(0, 1, 10, dtype="float32")
                table.insert(place.make(keys), place.make(values))
                got, found = table.find(place.make(keys.view("uint32")))
                self.assertEqual(str(got.dtype).rpartition(".")[2], "float32")
                numpy.testing.assert_array_equal(place.back(got), values)
                self.assertTrue(place.back(found).all())
                self.assertEqual(sorted(place.back(table.items()[0]).tolist()), keys.tolist())
                if has("add"):
                    with self.assertRaisesRegex(TypeError, "add: the table's values are float32, and it combines integers"):
                        table.add(place.make(keys), place.make(values))
                    with self.assertRaisesRegex(TypeError, "min: .* combines unsigned integers: make the table with value='uint32'"):
                        table.min(place.make(keys), place.make(values))

    def test_buffers(self):
        with Table(10) as table:
            table.insert(array.array("I", [1, 2, 3]), memoryview(array.array("I", [4, 5, 6])))
            self.assertEqual(table.find(array.array("I", [2]))[0].tolist(), [5])
            self.assertEqual(len(table.retrieve(numpy.empty(0, "uint32"))[0]), 0)
            self.assertIn("10 slots" if table.capacity == 10 else f"{table.capacity} slots", repr(table))
            self.assertGreater(table.nbytes, 80)

    def test_several(self):
        """Pairs of one key, where the scheme holds several."""
        if not SEVERAL:
            self.assertFalse(has("find_all"))
            return
        for place in PLACES:
            with self.subTest(place=place), place.table(1000) as table:
                keys = numpy.repeat(numpy.arange(10, dtype="uint32"), 50)
                table.insert(place.make(keys), place.make(numpy.arange(500, dtype="uint32")))
                asked = place.make(numpy.array([3, 99, 7], "uint32"))
                rows, values = (place.back_as(a, "uint32") for a in table.retrieve(asked))
                self.assertEqual(rows.tolist(), [0] * 50 + [2] * 50)
                self.assertEqual(sorted(values.tolist()), [*range(150, 200), *range(350, 400)])
                with self.assertRaisesRegex(ValueError, "out: room for 10 rows, and there are 100"):
                    table.retrieve(asked, out=(place.make(numpy.empty(10, "uint32")), place.make(numpy.empty(10, "uint32"))))
                if has("erase_all"):
                    self.assertEqual(place.back(table.erase_all(asked)).view("uint32").tolist(), [50, 2**32 - 1, 50])

    def test_out(self):
        for place in PLACES:
            with self.subTest(place=place), place.table(100) as table:
                keys = place.make(numpy.arange(10, dtype="uint32"))
                table.insert(keys, keys)
                room = [place.make(numpy.zeros(20, "uint32")) for _ in range(4)]
                keys_out, values_out = table.items(out=room[:2])
                self.assertEqual(sorted(place.back(keys_out).tolist()), list(range(10)))
                self.assertEqual(place.back(keys_out).tolist(), place.back(room[1])[:10].tolist())
                rows, _ = table.retrieve(keys, out=room[2:])
                self.assertEqual(place.back(rows).tolist(), list(range(10)))
                with self.assertRaisesRegex(ValueError, "out: room for 3 pairs, and there are 10"):
                    table.items(out=(room[0][:3], room[1][:3]))

    def test_full(self):
        """What finds no room comes back."""
        for place in PLACES:
            with self.subTest(place=place), place.table(64, load=MAX_LOAD) as table:
                keys = numpy.arange(1, 2001, dtype="uint32")
                try:
                    table.insert(place.make(keys), place.make(keys * 3))
                    left = numpy.empty(0, "uint32")  # it grows
                except TableFull as e:
                    self.assertRegex(str(e), r"insert: \d+ of 2000 keys found no room, .* slots")
                    left = place.back_as(e.keys, "uint32")
                    numpy.testing.assert_array_equal(place.back_as(e.values, "uint32"), left * 3)
                    self.assertEqual(e.counts.failed, len(left))
                inside = place.back_as(table.items()[0], "uint32")
                self.assertEqual(sorted([*inside.tolist(), *left.tolist()]), keys.tolist())

    def test_evicts(self):
        """Each pair that was put is there, or came back."""
        for place in PLACES if has("put") else ():
            with self.subTest(place=place), place.table(64) as table:
                keys = numpy.arange(1, 2001, dtype="uint32")
                left, values = (place.back_as(a, "uint32") for a in table.put(place.make(keys), place.make(keys * 3)))
                inside = place.back_as(table.items()[0], "uint32")
                numpy.testing.assert_array_equal(values, left * 3)
                self.assertEqual(sorted([*inside.tolist(), *left.tolist()]), keys.tolist())
                self.assertLessEqual(len(inside), table.capacity)

    def test_reserved(self):
        for place in PLACES:
            with self.subTest(place=place), place.table(100) as table:
                keys = place.make(numpy.array([1, 2**32 - 1, 2, 2**32 - 2], "uint32"))
                with self.assertRaisesRegex(ReservedKeys, r"insert: keys: 2 of 4 are reserved \(4294967294 and 4294967295; as signed numbers -2 and -1\)") as e:
                    table.insert(keys, keys)
                self.assertEqual((e.exception.counts.ok, e.exception.counts.rejected), (2, 2))
                self.assertEqual(place.back(table.contains(keys)).tolist(), [True, False, True, False])

    def test_wrong(self):
        for place in PLACES:
            table = place.table(100)
            keys, bytes_ = place.make(numpy.arange(10, dtype="uint32")), place.make(numpy.zeros(10, "uint8"))
            table.insert(keys, keys)
            wide = place.make(numpy.arange(10, dtype="float64"))
            for call, error, text in [
                (lambda: table.find([1, 2]), TypeError, "^keys: list, and it takes arrays: .*asarray"),
                (lambda: table.find(wide), TypeError, "^keys: .*float64, and it takes int32 or uint32: convert"),
                (lambda: table.insert(keys, wide), TypeError, "^values: .*float64"),
                (lambda: table.insert(keys, keys[:-1]), ValueError, "^values: 9 numbers, and there are 10 keys"),
                (lambda: table.insert(keys, keys, status=keys), TypeError, "^status: .*int32, and it takes uint8"),
                (lambda: table.find(keys.reshape(5, 2)), ValueError, r"^keys: of shape \(5, 2\), and it has one dimension"),
                (lambda: table.find(keys[::2]), ValueError, "^keys: its numbers do not lie side by side"),
                (lambda: table.find(keys, out=(keys, keys)), TypeError, r"^out\[1\]: .*int32, and it takes bool"),
                (lambda: table.find(keys, out=(keys[:3], bytes_)), ValueError, r"^out\[0\]: 3 numbers, and there are 10 keys"),
                (lambda: table.find(keys, out=keys), TypeError, "^out: .*, and it is a pair of arrays"),
                (lambda: place.table(0), ValueError, "^capacity: 0, and a table is for at least 1 key"),
                (lambda: place.table(9, load=2), ValueError, "^load: 2, and it is more than 0 and at most 1"),
                (lambda: place.table(9, key="int16"), TypeError, "^key: int16, and it is one of int32, uint32"),
                (lambda: place.table(9, key="float32"), TypeError, "^key, value: float32, uint32, and keys are integers"),
                (lambda: Table(9, device="gpu"), ValueError, "^device: gpu, and it is cpu, or cuda:0"),
                (lambda: Table(9, device="cuda:99"), Error, "no CUDA driver|no GPU 99|without kernels"),
                (lambda: place.table(2**50), (MemoryError, Error), r"^hashzoo_\w+: .*[a-z]"),
                (lambda: (table.close(), table.find(keys)), ValueError, "^find: the table is closed"),
                (lambda: len(table), ValueError, "^count: the table is closed"),
            ]:
                with self.subTest(place=place, text=text), self.assertRaisesRegex(error, text):
                    call()
            self.assertIn("closed", repr(table))
        fixed = numpy.zeros(1, "uint32")
        fixed.flags.writeable = False
        with Table(9) as table, self.assertRaisesRegex(ValueError, r"^out\[0\]: read-only"):
            table.find(fixed, out=(fixed, numpy.zeros(1, "bool")))

    def test_threads(self):
        """Threads share a table, one operation after the other, and have tables of their own."""
        for place in PLACES:
            with self.subTest(place=place), place.table(20000) as shared:
                wrong = []

                def work(first):
                    try:
                        keys = numpy.arange(first, first + 2000, dtype="uint32")
                        given = place.make(keys)
                        with place.table(2000) as own:
                            for part in range(0, 2000, 250):
                                shared.insert(given[part : part + 250], given[part : part + 250])
                                own.insert(given[part : part + 250], given[part : part + 250])
                            for table in (shared, own):
                                numpy.testing.assert_array_equal(place.back_as(table.find(given)[0], "uint32"), keys)
                            self.assertEqual(len(own), 2000)
                    except Exception as e:
                        wrong.append(e)

                threads = [threading.Thread(target=work, args=(2000 * i,)) for i in range(8)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()
                self.assertEqual((wrong, len(shared)), ([], 16000))

    def test_places(self):
        """Arrays elsewhere are not copied behind the caller's back."""
        for place in GPUS:
            there, here = place.make(numpy.arange(4, dtype="uint32")), numpy.arange(4, dtype="uint32")
            with self.subTest(place=place), place.table(10) as gpu, Table(10) as cpu:
                gpu.insert(there, there)
                with self.assertRaisesRegex(ValueError, "^keys: on cpu, and the table is on cuda:0: torch.asarray"):
                    gpu.find(here)
                with self.assertRaisesRegex(ValueError, "^values: on cpu"):
                    gpu.insert(there, here)
                with self.assertRaisesRegex(ValueError, "^keys: on cuda:0, and the table is on cpu: keys.cpu"):
                    cpu.find(there)

    def test_streams(self):
        """Operations are carried out after what is in their stream, the current one or the one that is named."""
        for place in GPUS:
            n, torch, busy = 1 << 16, place.xp.__name__ == "torch", place.make(numpy.zeros(WORK, "uint32"))
            for how in ("current", "named", "number"):
                stream = place.xp.cuda.Stream()
                with self.subTest(place=place, how=how), place.table(n) as table:
                    with place.xp.cuda.stream(stream) if torch else stream:
                        late = place.make(numpy.arange(n, dtype="uint32"))
                        for _ in range(100):
                            busy += 1
                        late += busy[:n] * 0 + 100
                        if how == "current":
                            table.insert(late, late)
                    if how != "current":
                        table.insert(late, late, stream=stream if how == "named" else stream.cuda_stream if torch else stream.ptr)
                    keys = place.back(table.items()[0])
                    self.assertEqual((keys.min(), keys.max(), len(keys)), (100, n + 99, n))


if __name__ == "__main__":
    unittest.main()
