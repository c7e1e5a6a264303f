"""The site: its pages of commands and functions are complete, and every link leads somewhere."""

import posixpath
import re
import shlex

import click
import nbformat
import pytest
from nbclient import NotebookClient

import peckorder as po
from docs.builder import commands, notebook, reference
from docs.builder.inspection import problems
from docs.builder.outside import SHOWN, included, on_the_site
from peckorder import cli
from peckorder.cli.derive import function
from tests.documents import DOCS, ROOT, blocks, documents, furnish

LINKED = [*documents(), "CONTRIBUTING.md", "CHANGELOG.md", "STYLE.md", "benchmarks/README.md"]
GENERATED = {f"docs/{page.path}": page.text for page in (*commands.pages(), *reference.pages())}
GENERATED |= {
    f"docs/{page}": included((ROOT / path).read_text(encoding="utf-8"), posixpath.dirname(path))
    for path, page in SHOWN.items()
    if page != "index.md"
}


def without_code(text):
    return re.sub(r"^(```+).*?^\1$|`[^`\n]+`", "", text, flags=re.DOTALL | re.MULTILINE)


def anchors(text):
    """Places of a page that links may name: headings as GitHub and MyST name them, and targets."""
    lines = re.sub(r"^(```+).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE).splitlines()
    titles = [line.lstrip("#").strip() for line in lines if re.match(r"#{1,6} ", line)]
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "") for title in titles]
    return {re.sub(r"[^\w\- ]", "", title.lower().replace(" ", "-")) for title in plain} | set(
        re.findall(r"^\(([\w-]+)\)=$", text, flags=re.MULTILINE)
    )


def broken(page, text):
    """Links of a page to files that are not there, and to headings that they do not have."""
    found = []
    for target in re.findall(r"\]\(([^()\s]+)\)", without_code(text)):
        path, _, anchor = target.partition("#")
        if ":" in path:
            continue
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        made = page in GENERATED and place in GENERATED  # the repository does not have these
        if not made and not (ROOT / place).exists():
            found.append(target)
        elif anchor and place.endswith(".md"):
            there = GENERATED.get(place) or (ROOT / place).read_text(encoding="utf-8")
            if anchor not in anchors(there):
                found.append(target)
    return found


@pytest.mark.parametrize("page", LINKED)
def test_links_lead_somewhere(page):
    assert broken(page, (ROOT / page).read_text(encoding="utf-8")) == []


def test_links_of_generated_pages_lead_somewhere():
    targets = set().union(*(anchors(text) for text in GENERATED.values()))
    for page, text in GENERATED.items():
        wrong = [link for link in broken(page, text) if link.removeprefix("#") not in targets]
        assert wrong == [], page


def test_broken_links_are_found():
    text = "[a](nowhere.md) [b](elo.md#no-such-heading) [c](elo.md#presets) `[d](nowhere.md)`"
    assert broken("docs/data.md", text) == ["nowhere.md", "elo.md#no-such-heading"]
    assert broken("docs/data.md", "[e](commands/index.md)") == ["commands/index.md"]


def test_every_page_has_its_place_in_the_contents():
    listed = set()
    for page in [*documents(), *GENERATED]:
        text = GENERATED.get(page) or (ROOT / page).read_text(encoding="utf-8")
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", text, flags=re.DOTALL):
            for line in tree.splitlines():
                if line and not line.startswith(":"):
                    entry = re.sub(r".*<(.*)>", r"\1", line.strip())
                    listed.add(posixpath.normpath(posixpath.join(posixpath.dirname(page), entry)))
    pages = {page.removesuffix(".md") for page in [*documents(), *GENERATED]}
    assert pages - listed == {"README", "docs/index"}
    assert listed <= pages


def test_every_command_has_its_place_and_its_page():
    listed = " ".join(cli.PURPOSES.values()).split()
    assert sorted(listed) == sorted(cli.main.commands)
    contents = GENERATED["docs/commands/index.md"]
    for name, command in commands.commands():
        assert f"]({commands.file_name(name)}.md)" in contents
        page = GENERATED[f"docs/commands/{commands.file_name(name)}.md"]
        assert f"peckorder {name}" in page
        assert command.help
        for argument in commands.parameters(command):
            if isinstance(argument, click.Argument):
                assert argument.name.upper() in page


def test_every_option_is_described_once():
    shared = GENERATED["docs/commands/shared.md"]
    common = [option for group in commands.shared_options().values() for option in group]
    assert len(common) == len(set(common))
    for name, command in commands.commands():
        page = GENERATED[f"docs/commands/{commands.file_name(name)}.md"]
        for option in commands.options_of(command):
            assert option.help or option.takes.startswith("one of"), (name, option.flags)
            if commands.row(option) in page:
                continue
            assert option in common, (name, option.flags)
            assert commands.row(option) in shared
            assert option.flags.split(", ")[-1] in page, (name, option.flags)
        for path, own in commands.methods_of(command).values():
            there = commands.described_by(path) or name
            described = GENERATED[f"docs/commands/{commands.file_name(there)}.md"] + page + shared
            for option in own:
                assert option.flags.split(", ")[-1] in described, (name, option.flags)
    # The options of the file would otherwise be on every page.
    assert all(len(page) < 12_000 for page in GENERATED.values() if "## Shared options" in page)


def test_every_public_name_has_its_place():
    found = reference.groups()
    names = [name for members in found.values() for name in members]
    assert len(names) == len(set(names))
    groups = set(po._GROUPS)
    assert {name for name in names if "." not in name} == set(po.__all__) - groups - {"__version__"}
    assert {heading.removeprefix("po.") for heading in found if heading.startswith("po.")} == groups
    for group in ("plot", "orders", "sport", "simulate"):
        assert found[f"po.{group}"] == [f"{group}.{name}" for name in getattr(po, group).__all__]
    assert "curves.k_from_effect" in found["po.curves"]


def test_links_to_files_that_are_no_page():
    text = "[a](../benchmarks/README.md#x) [b](../tests/field) [c](elo.md) [d](https://x.org)\n"
    assert on_the_site(text, "data.md") == (
        "[a](benchmarks.md#x) b [c](elo.md) [d](https://x.org)\n"
    )
    assert on_the_site("see [elo.md](elo.md#presets)", "data.md") == "see [](elo.md#presets)"
    assert on_the_site("[a](../../CHANGELOG.md)", "howto/x.md") == "[a](../changelog.md)"
    code = "[a](../src/peckorder/cli/__init__.py)"
    assert on_the_site(code, "x.md") == "[a](commands/index.md)"
    assert (
        on_the_site("```\n[b](../tests/field)\n```\n", "x.md") == "```\n[b](../tests/field)\n```\n"
    )
    assert included("[a](docs/elo.md) [b](#x)", "") == "[a](elo.md) [b](#x)"
    assert included("[a](dynamic.py)", "benchmarks") == "[a](../benchmarks/dynamic.py)"


def test_the_built_site_is_inspected(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#end">b</a><img src="b.png">'
    )
    (tmp_path / "b.html").write_text('<p id="end"></p><a href="a.html#top">a</a>')
    (tmp_path / "b.png").write_bytes(b"")
    assert problems(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<a href="c.html">c</a><a href="a.html#x">x</a><script src="https://x.org/x.js"></script>'
        '<a href="https://x.org">allowed</a>'
    )
    assert problems(tmp_path) == [
        "a.html: there is no place b.html#end",
        "b.html: there is no c.html",
        "b.html: there is no place a.html#x",
        "b.html loads https://x.org/x.js",
    ]


def test_the_site_builds_without_a_network():
    """Neither the configuration nor the style names an address of a file to load."""
    for file in (DOCS / "conf.py", *(DOCS / "static").glob("*.css")):
        assert "http" not in file.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", documents())
def test_names_and_commands_of_the_pages_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for name in set(re.findall(r"\bpo[.$]([a-zA-Z_]\w*(?:[.$][a-zA-Z_]\w*)*)", text)):
        thing = po
        for part in re.split(r"[.$]", name):
            if not (hasattr(thing, part) or thing is po or isinstance(thing, type(po))):
                break  # an attribute of a result
            assert hasattr(thing, part), f"po.{name}"
            thing = getattr(thing, part)
    typed = re.findall(r"(?<!`)`peckorder ([a-z][^`]*)`", text)
    for block in (*blocks(text, "sh"), *blocks(text, "console")):
        typed += re.findall(r"^(?:\$ )?peckorder ([a-z].*)", block, flags=re.MULTILINE)
    for line in typed:
        verb, *rest = shlex.split(line, comments=True)
        command = cli.main.commands.get(verb)
        if isinstance(command, click.Group) and rest:
            command = command.commands[rest[0]]
        assert command is not None, line
        flags = [word for word in rest if re.fullmatch(r"--[a-z-]+", word)]
        more = [option for _, own in commands.methods_of(command).values() for option in own]
        known = " ".join(option.flags for option in (*commands.options_of(command), *more))
        assert all(f"`{flag}`" in known for flag in {*flags} - {"--help", "--quiet"}), line
        for word in re.findall(r"--read ([\w-]+)=", line.replace('"', "").replace("'", "")):
            assert word in function("read").arguments, line


@pytest.mark.documents
def test_the_notebook_is_that_of_its_page(tmp_path):
    """It runs: only the line that is to fail does."""
    text = notebook.TARGET.read_text(encoding="utf-8")
    assert text == notebook.notebook(notebook.PAGE.read_text(encoding="utf-8"))
    furnish(tmp_path)
    found = nbformat.reads(text, as_version=4)
    quick = [cell for cell in found.cells if "po.report" not in cell.source]
    found.cells = [cell for cell in quick if "order_test" not in cell.source]
    NotebookClient(
        found, allow_errors=True, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    failed = [
        output.ename
        for cell in found.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error"
    ]
    assert failed == ["DataError"]
