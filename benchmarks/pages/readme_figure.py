"""Draw the README's picture, `docs/images/overview.png`: what the last block of its example draws.

python -m benchmarks.pages.readme_figure
"""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any

from benchmarks.pages.marks import DOCS, README


def main() -> None:
    """Run the examples, and keep the picture."""
    space: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        text = README.read_text(encoding="utf-8")
        for code in re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE):
            exec(compile(code, "README.md", "exec"), space)
        (picture,) = Path().glob("*.png")
        shutil.copy(picture, DOCS / "images" / "overview.png")


if __name__ == "__main__":
    main()
