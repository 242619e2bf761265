"""Pages that are one file: they open from disk, without a network.

Style, script and data are inside, and a content security policy lets nothing run but the page's own
script. All that a template prints is escaped.
"""

import base64
import hashlib
import json
import os
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from ..base.files import write_text
from ..base.text import listed
from . import numbers

TEMPLATES = Path(__file__).with_name("templates")
# What could end the element that data stands in, or a line of a script in old browsers.
UNSAFE_IN_SCRIPT = re.compile("[<>&\u2028\u2029]")


def write_page(path, template, name, content):
    """Write a page: `name`.css and `name`.js, behind the common ones, are its style and script."""
    style, script = (_inside(("common", name), ending) for ending in ("css", "js"))
    frame = {"style": style, "script": script, "policy": _policy(style, script)}
    write_text(path, _environment().get_template(template).render(content | frame))


def json_inside(data):
    """Data as JSON that can stand in a script element of a page: no character in it is markup."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Markup(UNSAFE_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def link(path, page):
    """The way from a page to a file beside it."""
    return Path(os.path.relpath(path, Path(page).parent)).as_posix()


def _environment():
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for name in ("number", "precise", "signed", "interval", "p_value", "counted", "percent"):
        environment.filters[name] = getattr(numbers, name)
    environment.filters["listed"] = listed
    return environment


def _inside(names, ending):
    """Files that go into the page as they are: they must not end the element they stand in."""
    texts = []
    for path in (TEMPLATES / f"{name}.{ending}" for name in names):
        texts.append(path.read_text(encoding="utf-8"))
        if "</" in texts[-1]:
            raise ValueError(f"{path}: </ would end the page's element; write it apart")
    return Markup("\n".join(texts))


def _policy(style, script):
    """A content security policy: these two run, images are inside, and nothing else is."""
    hashes = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (style, script)
    )
    style_hash, script_hash = (f"'sha256-{value}'" for value in hashes)
    return (
        f"default-src 'none'; style-src {style_hash}; script-src {script_hash}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
