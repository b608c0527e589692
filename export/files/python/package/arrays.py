"""The arrays that tables take and give: those of NumPy, torch and CuPy, and what these take without a copy.

A Library is bound to the place of one table. look says what an array is, empty makes another, and on and stream are about
the order of operations on a GPU.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any, Tuple

import numpy

NUMBERS = ("int32", "uint32", "float32", "int64", "uint64", "float64")
NAMES = {numpy.dtype(name): name for name in (*NUMBERS, "bool", "uint8")}

# What look returns: address, type, shape, whether the numbers lie side by side, place, whether they may be written.
Look = Tuple[int, "str | None", Any, bool, str, bool]


class Library:
    """The arrays of a library, where one table is."""

    def cast(self, a: Any, name: str) -> Any:
        return a.view(name)


class Numpy(Library):
    """Arrays in memory of the host."""

    def __init__(self, place: str):
        pass

    def look(self, a: Any) -> Look:
        address, fixed = a.__array_interface__["data"]
        return address, NAMES.get(a.dtype), a.shape, a.flags.c_contiguous, "cpu", not fixed

    def address(self, a: Any) -> int:
        return a.__array_interface__["data"][0]

    def empty(self, n: int, name: str) -> Any:
        return numpy.empty(n, name)

    def stream(self) -> None:
        return None

    def on(self, stream: Any) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()


class Torch(Library):
    """Tensors. torch has few operations on unsigned numbers, so it is given signed ones."""

    def __init__(self, place: str):
        self.torch: Any = sys.modules["torch"]
        self.device = self.torch.device(place)
        self.names = {getattr(self.torch, n): n for n in (*NUMBERS, "bool", "uint8") if hasattr(self.torch, n)}
        self.types = {n: getattr(self.torch, n.replace("uint", "int")) for n in (*NUMBERS, "bool")}
        self.places = {self.device: place}
        self.raw = getattr(self.torch._C, "_cuda_getCurrentRawStream", None)  # current_stream takes longer

    def look(self, a: Any) -> Look:
        device = a.device
        place = self.places.get(device) or self.places.setdefault(device, str(device))
        return a.data_ptr(), self.names.get(a.dtype), a.shape, a.is_contiguous(), place, True

    def address(self, a: Any) -> int:
        return a.data_ptr()

    def empty(self, n: int, name: str) -> Any:
        return self.torch.empty(n, dtype=self.types[name], device=self.device)

    def cast(self, a: Any, name: str) -> Any:
        return a.view(self.types[name])

    def stream(self) -> int:
        return self.raw(self.device.index) if self.raw else self.torch.cuda.current_stream(self.device).cuda_stream

    def on(self, stream: Any) -> contextlib.AbstractContextManager:
        cuda = self.torch.cuda
        if not isinstance(stream, cuda.Stream):
            number = handle(stream)
            stream = cuda.ExternalStream(number, self.device) if number > 1 else cuda.default_stream(self.device)
        return cuda.stream(stream)


class Cupy(Library):
    """Arrays of CuPy."""

    def __init__(self, place: str):
        self.cupy: Any = sys.modules["cupy"]
        self.device = self.cupy.cuda.Device(int(place[5:] or 0)) if place != "cpu" else contextlib.nullcontext()

    def look(self, a: Any) -> Look:
        return a.data.ptr, NAMES.get(a.dtype), a.shape, a.flags.c_contiguous, f"cuda:{a.data.device_id}", True

    def address(self, a: Any) -> int:
        return a.data.ptr

    def empty(self, n: int, name: str) -> Any:
        with self.device:
            return self.cupy.empty(n, name)

    def stream(self) -> int:
        with self.device:
            return self.cupy.cuda.get_current_stream().ptr

    @contextlib.contextmanager
    def on(self, stream: Any):
        cuda = self.cupy.cuda
        with self.device:
            if not isinstance(stream, (cuda.Stream, cuda.ExternalStream)):
                number = handle(stream)
                stream = cuda.ExternalStream(number) if number > 1 else cuda.Stream.null
            with stream:
                yield


def handle(stream: Any) -> int:
    """The CUstream of a stream of any library."""
    for name in ("cuda_stream", "ptr", "handle"):
        stream = getattr(stream, name, stream)
    if hasattr(stream, "__cuda_stream__"):
        stream = stream.__cuda_stream__()[1]
    if not isinstance(stream, int):
        raise TypeError(f"stream: {type(stream).__name__}, and it takes a number, or a stream of torch or CuPy")
    return stream


def place_of(device: Any) -> str:
    """A device as cpu or cuda:0."""
    place = str(device)
    if place == "cuda":
        return "cuda:0"
    if place != "cpu" and not (place.startswith("cuda:") and place[5:].isdigit()):
        raise ValueError(f"device: {place}, and it is cpu, or cuda:0 and the like")
    return place


def type_of(number: Any, what: str) -> str:
    """The name of a type of NumPy's or torch's."""
    name = str(number).removeprefix("torch.")
    if name not in NUMBERS:
        with contextlib.suppress(TypeError):
            name = numpy.dtype(number).name
    if name not in NUMBERS:
        raise TypeError(f"{what}: {number}, and it is one of {', '.join(NUMBERS)}")
    return name


def alike(name: str) -> tuple[str, ...]:
    """The types that are taken for a type: integers of its width, signed or not, or floats."""
    return (name,) if "float" in name else (name.replace("uint", "int"), f"u{name}" if name[0] != "u" else name)


def usual(place: str) -> Library:
    """The library of a caller who has given no arrays yet."""
    if place == "cpu":
        return Numpy(place)
    if "torch" in sys.modules:
        return Torch(place)
    if "cupy" in sys.modules:
        return Cupy(place)
    raise TypeError("out: none, and the table has taken no arrays yet: pass a pair of arrays")


def pair(out: Any) -> tuple[Any, Any]:
    if isinstance(out, (tuple, list)) and len(out) == 2:
        return out[0], out[1]
    raise TypeError(f"out: {type(out).__qualname__}, and it is a pair of arrays")


def library(a: Any, place: str) -> tuple[Any, Any]:
    """The library of an array, and the array as one of that library."""
    for name, of, made in (("numpy", "ndarray", Numpy), ("torch", "Tensor", Torch), ("cupy", "ndarray", Cupy)):
        if isinstance(a, getattr(sys.modules.get(name), of, ())):
            return made(place), a
    shared = of_gpu(a) if is_on_gpu(a) else of_host(a)
    if shared is None:
        raise TypeError(no_array(a, place))
    return library(shared, place)


def is_on_gpu(a: Any) -> bool:
    return hasattr(a, "__cuda_array_interface__") or hasattr(a, "__dlpack_device__") and a.__dlpack_device__()[0] == 2


def of_gpu(a: Any) -> Any:
    """An array of another library as torch's or CuPy's, where one of them is imported."""
    torch, cupy = sys.modules.get("torch"), sys.modules.get("cupy")
    if hasattr(a, "__cuda_array_interface__"):
        return torch.as_tensor(a) if torch else cupy.asarray(a) if cupy else None
    return torch.from_dlpack(a) if torch else cupy.from_dlpack(a) if cupy else None


def of_host(a: Any) -> Any:
    """An array of another library, or what has the buffer protocol, as NumPy's."""
    with contextlib.suppress(TypeError):
        return numpy.asarray(memoryview(a))
    return numpy.from_dlpack(a) if hasattr(a, "__dlpack__") else None


def no_array(a: Any, place: str) -> str:
    """What to do with an object that cannot be taken."""
    what = f"{type(a).__module__}.{type(a).__qualname__}".removeprefix("builtins.")
    if is_on_gpu(a):
        return f"{what}, whose results come as arrays of torch or CuPy: import one of them"
    move = "numpy.asarray(...)" if place == "cpu" else f"torch.asarray(..., device='{place}') or cupy.asarray(...)"
    return f"{what}, and it takes arrays: {move} makes one"


def wrong(a: Any, what: str, look: Look, types: tuple[str, ...], place: str, n: int) -> Exception:
    """The error about an array that a table does not take."""
    _, name, shape, dense, where, _ = look
    if where != place:
        return ValueError(f"{what}: on {where}, and the table is on {place}: {move(what, place)}")
    if name not in types:
        return TypeError(f"{what}: {name or a.dtype}, and it takes {' or '.join(types)}: convert it, or make a table of other types")
    if len(shape) != 1:
        return ValueError(f"{what}: of shape {tuple(shape)}, and it has one dimension: reshape(-1) makes it one")
    if not dense:
        return ValueError(f"{what}: its numbers do not lie side by side: copy it first")
    if n >= 0 and shape[0] != n:
        return ValueError(f"{what}: {shape[0]} numbers, and there are {n} keys")
    return ValueError(f"{what}: read-only, and results are written to it")


def move(what: str, place: str) -> str:
    if place == "cpu":
        return f"{what}.cpu() or cupy.asnumpy({what}) copies it, or make the table with a device"
    return f"torch.asarray({what}, device='{place}') or cupy.asarray({what}) copies it"
