"""As much of CuPy as the tests of an exported package use, in memory of the driver of tests (libcuda.cc). Its kernels are
NumPy's; a stream is a number that operations must be given."""

import contextlib
import ctypes
import threading
import types

import numpy
from numpy import bool_, float32, int32, int64, uint8, uint32  # noqa: F401

__version__ = "of a test"
driver = ctypes.CDLL("libcuda.so.1")
driver.cuCtxPushCurrent_v2.argtypes = driver.cuMemFree_v2.argtypes = [ctypes.c_void_p]
primary = ctypes.c_void_p()
driver.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 7)


class Memory:
    device_id = 0

    def __init__(self, bytes_):
        at = ctypes.c_void_p()
        self.call(driver.cuMemAlloc_v2, ctypes.byref(at), ctypes.c_size_t(max(1, bytes_)))
        self.ptr = at.value

    def __del__(self):
        self.call(driver.cuMemFree_v2, self.ptr)

    def call(self, f, *arguments):
        driver.cuCtxPushCurrent_v2(primary)
        assert f(*arguments) == 0
        driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))


class ndarray(numpy.lib.mixins.NDArrayOperatorsMixin):
    def __init__(self, memory, host):
        self.memory, self.host = memory, host
        self.data = types.SimpleNamespace(ptr=host.__array_interface__["data"][0], device_id=0)

        self.dtype, self.shape, self.flags = host.dtype, host.shape, host.flags

    def tolist(self):
        return self.host.tolist()

    def sum(self):
        return self.host.sum()

    def __len__(self):
        return len(self.host)

    def __bool__(self):
        return bool(self.host)

    def __getitem__(self, key):
        got = self.host[plain(key)]
        return ndarray(self.memory, got) if numpy.shares_memory(got, self.host) else asarray(got)

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **more):
        got = getattr(ufunc, method)(*map(plain, inputs), **({"out": tuple(map(plain, out))} if out else {}), **more)
        return out[0] if out else asarray(got)

    def view(self, dtype):
        return ndarray(self.memory, self.host.view(dtype))

    def reshape(self, *shape):
        return ndarray(self.memory, self.host.reshape(*shape))

    def all(self):
        return asarray(self.host.all())


def plain(a):
    return a.host if isinstance(a, ndarray) else a


def empty(n, dtype="float64"):
    dtype = numpy.dtype(dtype)
    shape = n if isinstance(n, tuple) else (n,)
    size = int(numpy.prod(shape)) * dtype.itemsize
    memory = Memory(size)
    return ndarray(memory, numpy.frombuffer((ctypes.c_char * max(1, size)).from_address(memory.ptr), "uint8")[:size].view(dtype).reshape(shape))


def asarray(a, dtype=None):
    if isinstance(a, ndarray) and dtype in (None, a.dtype):
        return a
    a = numpy.asarray(plain(a), dtype)
    made = empty(a.shape, a.dtype)
    made.host[...] = a
    return made


def asnumpy(a):
    return a.host.copy()


def arange(*arguments, **more):
    return asarray(numpy.arange(*arguments, **more))


def zeros(n, dtype):
    return asarray(numpy.zeros(n, dtype))


def cumsum(a, axis):
    return asarray(numpy.cumsum(plain(a), axis))


def equal(a, b, out):
    numpy.equal(plain(a), b, out=plain(out))


class Stream:
    """The streams that are current on this thread are in now.list."""

    def __init__(self, ptr=4096):
        self.ptr = ptr

    def __enter__(self):
        now.list = [*getattr(now, "list", []), self]

    def __exit__(self, *_):
        now.list = now.list[:-1]


class ExternalStream(Stream):
    pass


now = threading.local()
Stream.null = Stream(0)
cuda = types.SimpleNamespace(
    Device=lambda number: contextlib.nullcontext(number),
    Stream=Stream,
    ExternalStream=ExternalStream,
    get_current_stream=lambda: [Stream.null, *getattr(now, "list", [])][-1],
    is_available=lambda: True,
)
