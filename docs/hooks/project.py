"""Makes pages of the project's own files: there is nothing to keep in step by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGES = {
    "README.md": "readme.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "licence.md",
    "CITATION.cff": "citation.md",
}


def on_files(files: Any, config: Any, **_: Any) -> Any:
    """Add the pages, while MkDocs collects files."""
    from mkdocs.structure.files import File

    root = Path(config.config_file_path).parent
    for source, name in PAGES.items():
        files.append(File.generated(config, name, content=page(root, source)))
    return files


def page(root: Path, source: str) -> str:
    """Return a file as Markdown whose links hold inside the site.

    `docs/method.md` is `method.md` there, and `LICENSE` a page.
    """
    text = (root / source).read_text(encoding="utf-8")
    if not source.endswith(".md"):
        title = "Licence" if source == "LICENSE" else "Citation"
        return f"# {title}\n\n```text\n{text}```\n"
    return re.sub(r"(?<=\]\()([^)#:]+)(?=[)#])", lambda link: PAGES.get(link[1], link[1].removeprefix("docs/")), text)
