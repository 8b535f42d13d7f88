"""What mkdocs is told beside mkdocs.yml: the pages beside docs/, and where links of a page lead in the site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, InclusionLevel
from pymdownx.slugs import slugify

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.docs import places


def on_config(config: Any) -> Any:
    """Anchors of headings as a code host makes them."""
    config["mdx_configs"].setdefault("toc", {})["slugify"] = slugify(case="lower")
    return config


def on_files(files: Any, config: Any) -> Any:
    """The pages beside docs/, the examples that pages link to, and the script that stands in for workers."""
    for page in places.BESIDE:
        text = (places.ROOT / page).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for path in places.shown():
        file = File.generated(config, f"{path}.md", content=places.shown_page(path))
        file.inclusion = InclusionLevel.NOT_IN_NAV
        files.append(file)
    worker = Path(__file__).with_name("iframe-worker.js")
    files.append(File.generated(config, "assets/iframe-worker.js", abs_src_path=str(worker)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The links of a page lead where the site has what they mean."""
    here: str = page.file.src_uri
    if here.endswith(".md") and here.startswith(places.SHOWN) and here not in places.BESIDE:
        return markdown
    return places.for_site(places.of_site(here), markdown)
