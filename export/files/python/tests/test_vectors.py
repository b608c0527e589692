"""The test of the kernels in C++ (test.cc): sizes, single operations slot by slot (vectors.txt), random operations."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import backend  # noqa: E402


class TestVectors(unittest.TestCase):
    def test_vectors(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "test")
            backend.compiled("tests/test.cc", program)
            done = subprocess.run([program], cwd=HERE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertRegex(done.stdout, r" [1-9]\d* checks, 0 wrong\n")


if __name__ == "__main__":
    unittest.main()
