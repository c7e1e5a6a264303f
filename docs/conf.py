"""The site: Sphinx with the pages of this folder, and pages made from commands and docstrings."""

import re
import sys
from pathlib import Path

from docutils import nodes

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from docs.builder import commands, reference  # noqa: E402
from docs.builder.commands import Page  # noqa: E402
from docs.builder.outside import SHOWN, included, on_the_site  # noqa: E402
from peckorder.methods import VERSION  # noqa: E402

project = "peckorder"
author = "The peckorder authors"
copyright = "2026, the peckorder authors"
version = release = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["builder", "data", "gallery/*.csv"]
nitpicky = True
# Types in docstrings are words for readers ("array", "contests"), not links.
nitpick_ignore_regex = [("py:.*", r".*")]

myst_enable_extensions = ["attrs_block"]
myst_heading_anchors = 4
suppress_warnings = ["myst.strikethrough", "ref.python"]

smartquotes = False  # two hyphens are a flag

default_role = "code"
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # else words such as "table" would become links
add_module_names = False

html_theme = "furo"
html_title = "peckorder"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"


def generated() -> list[Page]:
    """Pages that are not written by hand."""
    files = [(path, ROOT / path) for path in SHOWN if path != "README.md"]
    shown = [
        Page(SHOWN[path], included(file.read_text(encoding="utf-8"), str(Path(path).parent)))
        for path, file in files
    ]
    return [*commands.pages(), *reference.pages(), *shown]


def write_pages(app) -> None:
    """Write the pages into the folder of the others, if they changed."""
    for page in generated():
        path = Path(app.srcdir) / page.path
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != page.text:
            path.write_text(page.text, encoding="utf-8")


def correct_links(app, name, source) -> None:
    """Replace links to files that are no page of the site."""
    source[0] = on_the_site(source[0], f"{name}.md")


def tidy_examples(app, doctree) -> None:
    """Drop the empty line at the end of examples, and wrap messages where no table would break."""
    for block in doctree.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = text
        block.children = [nodes.Text(text)]
        if block.get("language") == "console" and "──" not in text:
            block["classes"].append("messages")


def as_text(app, what, name, thing, options, lines) -> None:
    """Absolute values, |x|, are no substitutions of reStructuredText."""
    lines[:] = [re.sub(r"\|(?=[^|`]+\|)|(?<=\w)\|", r"\\|", line) for line in lines]


def setup(app) -> None:
    """Connect these to the build."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", correct_links)
    app.connect("doctree-read", tidy_examples)
    app.connect("autodoc-process-docstring", as_text)
