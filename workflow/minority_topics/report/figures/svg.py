"""SVG that a page can take in as it is: named, described, without styles and foreign addresses."""

import re
import xml.etree.ElementTree as ET

NAMESPACE = "http://www.w3.org/2000/svg"
LINK = "{http://www.w3.org/1999/xlink}href"
# DejaVu Sans is wide: with any of the others nothing runs into its neighbour.
FAMILIES = "DejaVu Sans, Verdana, Helvetica, Arial, sans-serif"
# A hundredth of a point is finer than any screen.
LONG = re.compile(r"-?\d+\.\d{3,}")
GEOMETRY = ("d", "x", "y", "width", "height", "transform", "points")
# Names that Matplotlib gives to everything, and nothing refers to.
NUMBERED = re.compile(r"[A-Za-z0-9.]+_\d+")
FONT = re.compile(r"(?:(italic|oblique) )?(?:(bold|[1-9]00) )?([\d.]+)px .*")


def tidy(text, name, title, description):
    """The SVG of Matplotlib with a title and a description, and ids that begin with `name`.

    It has no width and height but a viewBox, so that it takes the width it is given; styles are
    attributes, which no content security policy forbids.
    """
    ET.register_namespace("", NAMESPACE)
    root = ET.fromstring(text)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{NAMESPACE}}}metadata", f"{{{NAMESPACE}}}style"):
                parent.remove(child)
    for element in root.iter():
        _plain(element, name)
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    title_id, text_id = f"{name}-title", f"{name}-desc"
    root.attrib |= {"role": "img", "aria-labelledby": f"{title_id} {text_id}"}
    # What Matplotlib sets by a style for all elements, which these inherit.
    root.attrib |= {"stroke-linejoin": "round", "stroke-linecap": "butt"}
    for place, (tag, key, words) in enumerate(
        (("title", title_id, title), ("desc", text_id, description))
    ):
        element = ET.Element(f"{{{NAMESPACE}}}{tag}", {"id": key})
        element.text = words
        root.insert(place, element)
    return ET.tostring(root, encoding="unicode") + "\n"


def _plain(element, name):
    """Attributes for styles, and `name` before every id and what refers to one; no white space."""
    attributes = element.attrib
    if not element.tag.endswith(("text", "tspan")):
        element.text = None
    element.tail = None
    if NUMBERED.fullmatch(attributes.get("id", "")):
        del attributes["id"]
    for part in filter(None, attributes.pop("style", "").split(";")):
        key, value = (word.strip() for word in part.split(":", 1))
        attributes |= _font(value) if key == "font" else {key: value}
    if LINK in attributes:
        attributes["href"] = attributes.pop(LINK)
    for key, value in attributes.items():
        if key in GEOMETRY:
            attributes[key] = LONG.sub(
                lambda found: f"{float(found[0]):.2f}", " ".join(value.split())
            )
        elif key == "id":
            attributes[key] = f"{name}-{value}"
        elif value.startswith("#") and key == "href":
            attributes[key] = f"#{name}-{value[1:]}"
        else:
            attributes[key] = value.replace("url(#", f"url(#{name}-")


def _font(shorthand):
    """The shorthand `font` as attributes, which know no shorthand."""
    style, weight, size = FONT.fullmatch(shorthand).groups()
    found = {"font-style": style, "font-weight": weight, "font-size": size}
    return {"font-family": FAMILIES} | {key: value for key, value in found.items() if value}
