"""The C functions of a scheme, by ctypes."""

from __future__ import annotations

import ctypes
import pathlib
import threading
from typing import Any

HERE = pathlib.Path(__file__).parent
P, U64, INT = ctypes.c_void_p, ctypes.c_uint64, ctypes.c_int


class Counts(ctypes.Structure):
    """How many operations had each outcome. left is how many pairs found no room, found how many values there are."""

    ok: int
    failed: int
    missing: int
    rejected: int
    left: int
    replaced: int
    added: int
    removed: int
    found: int
    evicted: int
    _names = ("ok", "failed", "missing", "rejected", "left", "replaced", "added", "removed", "found", "evicted")
    _fields_ = [(name, U64) for name in _names]

    def __repr__(self) -> str:
        return f"Counts({', '.join(f'{n}={getattr(self, n)}' for n in self._names if getattr(self, n))})"


class Error(RuntimeError):
    """What the C library or the CUDA driver said."""


class Binding:
    """The C library of a scheme. ops says what the function of each operation takes besides keys: v, values; a, an array
    for answers; f, arrays for what it finds; l, arrays for pairs that are left over; t: another function says which keys
    are there."""

    def __init__(self, name: str, pairs: dict[str, str], ops: dict[str, str], whole: tuple[str, ...]):
        self.name, self.pairs, self.ops = name, pairs, ops
        self.c = ctypes.CDLL(str(HERE / f"lib{name}.so"))
        self.text = self.function("error", [], ctypes.c_char_p)
        self.devices: dict[int, int] = {}
        self.lock = threading.Lock()
        self.tables = {pair: self.of(pair, whole) for pair in pairs}

    def function(self, name: str, takes: list[Any], gives: Any = INT) -> Any:
        f = self.c[f"{self.name}_{name}"]
        f.argtypes, f.restype = takes, gives
        return f

    def of(self, pair: str, whole: tuple[str, ...]) -> dict[str, Any]:
        """The functions of tables of a pair."""
        room, number = [P, P, U64], ctypes.POINTER(U64)
        takes = {"clear": [P, P], "count": [P, number, P], "pairs": [P, P, P, U64, number, P]}
        others = {"flush": [P, P], "resize": [P, U64, ctypes.POINTER(INT), P]}
        takes.update((name, others[name]) for name in whole)
        for op, has in self.ops.items():
            arrays = [P] * (1 + ("v" in has) + ("a" in has))
            takes[op] = [P, *arrays, U64, *room * ("f" in has), P, P, *room * ("l" in has), ctypes.POINTER(Counts)]
            if "t" in has:
                takes[f"{op}_found"] = [P, *arrays, P, U64, P, ctypes.POINTER(Counts)]
        list_ = {name: self.function(f"{pair}_{name}", types) for name, types in takes.items()}
        list_["new"] = self.function(f"{pair}_new", [P, U64, ctypes.c_double, U64], P)
        list_["free"] = self.function(f"{pair}_free", [P], None)
        for name in ("capacity", "bytes"):
            list_[name] = self.function(f"{pair}_{name}", [P], U64)
        return list_

    def device(self, place: str) -> int | None:
        """The C library's device: one for each GPU, as long as the program runs."""
        if place == "cpu":
            return None
        number = int(place[5:])
        with self.lock:
            if number not in self.devices:
                self.devices[number] = self.opened(number)
            return self.devices[number]

    def opened(self, number: int) -> int:
        kernels = sorted(HERE.glob("*.ptx"))
        if not kernels:
            raise Error(f"{self.name}: exported without kernels for GPUs: README.md says why")
        device = self.function("device_new", [INT], P)(number)
        if not device:
            raise self.error()
        for file in kernels:
            self.function("device_add", [P, ctypes.c_char_p], None)(device, file.read_bytes())
        return device

    def error(self) -> Exception:
        """The last error of this thread."""
        text = f"{self.name}: {self.text().decode(errors='replace')}"
        return MemoryError(text) if "memory" in text or "bad_alloc" in text else Error(text)
