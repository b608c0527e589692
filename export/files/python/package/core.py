"""Tables without the methods that differ between schemes."""

from __future__ import annotations

import ctypes
import functools
import threading
import weakref
from typing import Any

from . import arrays
from .binding import INT, U64, Binding, Counts, Error

ROWS = ("uint32", "int32")


class TableFull(Error):
    """Pairs found no room: keys and values have them. In schemes that move pairs they may be others than the given ones."""

    def __init__(self, text: str, keys: Any, values: Any, counts: Counts):
        super().__init__(text)
        self.keys, self.values, self.counts = keys, values, counts


class ReservedKeys(ValueError):
    """Keys were one of the two largest numbers, which no table holds. All others were taken."""

    def __init__(self, text: str, counts: Counts):
        super().__init__(text)
        self.counts = counts


def closed(name: str) -> Exception:
    return ValueError(f"{name.removesuffix('_found')}: the table is closed")


def in_order(operation: Any) -> Any:
    """An operation on a stream: arrays are made in its order, too."""

    @functools.wraps(operation)
    def ordered(self: Any, op: str, keys: Any, *arguments: Any, stream: Any = None) -> Any:
        if stream is None or self.device == "cpu":
            return operation(self, op, keys, *arguments)
        with self._library(keys, "keys")[0].on(stream):
            return operation(self, op, keys, *arguments)

    return ordered


class Core:
    _binding: Binding
    _max_load: float

    def __init__(self, capacity: int, load: float, device: Any, key: Any, value: Any, seed: int):
        self._at: int | None = None
        self.device = arrays.place_of(device)
        self.key, self.value = arrays.type_of(key, "key"), arrays.type_of(value, "value")
        if capacity < 1:
            raise ValueError(f"capacity: {capacity}, and a table is for at least 1 key")
        if not 0 < load <= 1:
            raise ValueError(f"load: {load}, and it is more than 0 and at most 1 (these tables fill to about {self._max_load})")
        pair = f"k{self.key[-2:]}v{self.value[-2:]}".replace("32", "4").replace("64", "8")
        if pair not in self._binding.pairs or "float" in self.key:
            has = ", ".join(self._binding.pairs.values())
            raise TypeError(f"key, value: {self.key}, {self.value}, and keys are integers; there are tables of {has} bytes")
        self._keys, self._values = arrays.alike(self.key), arrays.alike(self.value)
        self._libraries: dict[type, Any] = {}
        self._last: Any = None
        self._lock = threading.Lock()
        self._c = self._binding.tables[pair]
        self._at = self._c["new"](self._binding.device(self.device), capacity, load, seed % 2**64)
        if not self._at:
            raise self._binding.error()
        self._free = weakref.finalize(self, self._c["free"], self._at)

    def close(self) -> None:
        """Gives the memory back, as does the end of the last reference."""
        with self._lock:
            if self._at:
                self._at = None
                self._free()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        state = f"{self.capacity} slots" if self._at else "closed"
        return f"<{self._binding.name}.Table {self.key} to {self.value}, {self.device}, {state}>"

    @property
    def capacity(self) -> int:
        """How many slots there are."""
        return self._call("capacity")

    @property
    def nbytes(self) -> int:
        """The memory of the table."""
        return self._call("bytes")

    def __len__(self) -> int:
        """How many pairs there are: a pass over the table."""
        n = U64()
        self._do("count", n, None)
        return n.value

    def clear(self) -> None:
        """Removes all pairs."""
        self._do("clear", None)

    def items(self, *, out: Any = None, stream: Any = None) -> tuple[Any, Any]:
        """All keys and their values, in no order, as arrays of the library of the caller's last arrays; or in the pair out."""
        like = arrays.pair(out)[0] if out is not None else self._last or arrays.usual(self.device)
        return self._items("items", like, out, stream=stream)

    @in_order
    def _items(self, op: str, like: Any, out: Any) -> tuple[Any, Any]:
        lib, n, got = self._library(like, "out[0]")[0], len(self), U64()
        keys, values = (lib.empty(n, self.key), lib.empty(n, self.value)) if out is None else out
        to, room, _ = self._take(keys, "out[0]", self._keys, writes=True)
        if room < n:
            raise ValueError(f"out: room for {room} pairs, and there are {n}")
        to_values = self._take(values, "out[1]", self._values, room, writes=True)[0]
        self._do("pairs", to, to_values, room, got, self._stream(lib))
        return keys[: got.value], values[: got.value]

    def _resize(self, slots: int) -> bool:
        if slots < 1:
            raise ValueError(f"slots: {slots}, and a table has at least 1")
        moved = INT()
        self._do("resize", slots, moved, None)
        return moved.value != 0

    def _call(self, name: str, *arguments: Any) -> int:
        with self._lock:
            if self._at:
                return self._c[name](self._at, *arguments)
        raise closed(name)

    def _do(self, name: str, *arguments: Any) -> None:
        if self._call(name, *arguments):
            raise self._binding.error()

    def _count(self, op: str, *arguments: Any) -> Counts:
        counts = Counts()
        with self._lock:  # as _do: a call less
            if self._at and not self._c[op](self._at, *arguments, counts):
                return counts
        raise self._binding.error() if self._at else closed(op)

    def _stream(self, lib: Any) -> int | None:
        return None if self.device == "cpu" else lib.stream()

    def _library(self, a: Any, what: str) -> tuple[Any, Any]:
        """The library of an array, and the array as one of that library."""
        lib = self._libraries.get(type(a))
        if lib is not None or isinstance(a, arrays.Library):
            return lib or a, a
        try:
            lib, a = arrays.library(a, self.device)
        except TypeError as e:
            raise TypeError(f"{what}: {e}") from None
        return self._libraries.setdefault(type(a), lib), a

    def _take(self, a: Any, what: str, types: tuple[str, ...], n: int = -1, writes: bool = False) -> tuple[int, int, Any]:
        """The address and the length of an array, if it is what the table takes, and its library."""
        lib = self._libraries.get(type(a))
        if lib is None:
            lib, a = self._library(a, what)
        look = lib.look(a)
        address, name, shape, dense, place, writable = look
        if place == self.device and name in types and len(shape) == 1 and dense and (n < 0 or n == shape[0]) and (writable or not writes):
            return address, shape[0], lib
        raise arrays.wrong(a, what, look, types, self.device, n)

    def _first(self, keys: Any) -> tuple[Any, int, int]:
        """The library of keys, their address, and how many they are."""
        at, n, self._last = self._take(keys, "keys", self._keys)
        return self._last, at, n

    @in_order
    def _changed(self, op: str, keys: Any, values: Any, status: Any) -> tuple[Counts, Any]:
        """The counts of an operation that changes the table, and what gives the keys and values that are left over."""
        lib, at, n = self._first(keys)
        arguments, has = [at], self._binding.ops[op]
        if "v" in has:
            arguments.append(self._take(values, "values", self._values, n)[0])
        told = None if status is None else self._take(status, "status", ("uint8",), n, writes=True)[0]
        arguments += [n, self._stream(lib), told]
        if "l" not in has:
            return self._count(op, *arguments), None
        left = lib.empty(2 * n, self.key)  # keys, then values: one array takes less time
        to = lib.address(left)
        counts = self._count(op, *arguments, to, to + n * (int(self.key[-2:]) // 8), n)

        def pairs() -> tuple[Any, Any]:
            return left[: counts.left], lib.cast(left[n : n + counts.left], self.value)

        if counts.failed:
            text = f"{op}: {counts.failed} of {n} keys found no room, or were there already: the table has {self.capacity} slots, and this exception's keys and values are what is left over"
            raise TableFull(text, *pairs(), counts)
        if counts.rejected:
            most = 2 ** int(self.key[-2:])
            raise ReservedKeys(f"{op}: keys: {counts.rejected} of {n} are reserved ({most - 2} and {most - 1}; as signed numbers -2 and -1); all others were taken", counts)
        return counts, pairs

    @in_order
    def _find(self, op: str, keys: Any, out: Any) -> tuple[Any, Any]:
        """An operation that gives a value for each key."""
        lib, at, n = self._first(keys)
        if out is None:
            values, found = lib.empty(n, self.value), lib.empty(n, "bool")
            to, told = lib.address(values), lib.address(found)
        else:
            values, found = arrays.pair(out)
            to = self._take(values, "out[0]", self._values, n, writes=True)[0]
            told = self._take(found, "out[1]", ("bool",), n, writes=True)[0]
        self._count(f"{op}_found", at, to, told, n, self._stream(lib))
        return values, found

    @in_order
    def _contains(self, op: str, keys: Any, out: Any) -> Any:
        lib = self._library(keys, "keys")[0]
        n = len(keys)
        return self._find(op, keys, (lib.empty(n, self.value), lib.empty(n, "bool") if out is None else out))[1]

    def _combines(self, op: str, unsigned: bool) -> None:
        if "float" in self.value or unsigned and self.value[0] != "u":
            what = "unsigned integers" if unsigned else "integers"
            raise TypeError(f"{op}: the table's values are {self.value}, and it combines {what}: make the table with value='uint{self.value[-2:]}'")

    @in_order
    def _numbers(self, op: str, keys: Any, out: Any) -> Any:
        """An operation that gives a number for each key."""
        lib, at, n = self._first(keys)
        numbers = lib.empty(n, self.value) if out is None else out
        self._count(op, at, self._take(numbers, "out", self._values, n, writes=True)[0], n, self._stream(lib), None)
        return numbers

    @in_order
    def _rows(self, op: str, keys: Any, out: Any) -> tuple[Any, Any]:
        """An operation that lists the values of each key: again if there are more than one for each key."""
        lib, at, room = self._first(keys)
        n, numbers = room, lib.empty(room, self.value)
        while True:
            rows, values = (lib.empty(room, "uint32"), lib.empty(room, self.value)) if out is None else arrays.pair(out)
            of, room, _ = self._take(rows, "out[0]", ROWS, writes=True)
            to = self._take(values, "out[1]", self._values, room, writes=True)[0]
            found = self._count(op, at, lib.address(numbers), n, of, to, room, self._stream(lib), None).found
            if found <= room:
                return rows[:found], values[:found]
            if out is not None:
                raise ValueError(f"out: room for {room} rows, and there are {found}")
            room = found
