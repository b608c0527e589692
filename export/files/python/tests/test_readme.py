"""Every block of Python in README.md holds what it asserts, in each library and on each device."""

import pathlib
import re
import unittest

from zoo import PLACES

README = pathlib.Path(__file__).resolve().parent.parent / "README.md"


class TestReadme(unittest.TestCase):
    def test_blocks(self):
        blocks = re.findall(r"^## ([^\n]*)\n.*?^```python\n(.*?)^```", README.read_text(), re.M | re.S)
        self.assertGreater(len(blocks), 0)
        for place in PLACES:
            if place.xp.__name__ == "torch" and place.xp.__version__ < "2.1":
                continue  # it takes no rows of 4 bytes as an index
            for title, block in blocks:
                with self.subTest(place=place, title=title):
                    self.run_block(block, place)

    def run_block(self, block, place):
        if place.xp.__name__ == "torch":
            place.xp.set_default_device(place.device)
            self.addCleanup(place.xp.set_default_device, "cpu")
        exec(compile(block, "README.md", "exec"), {"xp": place.xp, "device": place.device})


if __name__ == "__main__":
    unittest.main()
