"""The software bill of materials: every package that the set-up may install, in CycloneDX's form.

Read from the locks, which have versions and hashes: of the study itself, of the tools'
environments, of what their scripts install after, and of the browser tests.
"""

import base64
import json
import re
from pathlib import Path

from .. import __version__
from ..base.files import write_text
from .paths import ROOT

PYTHON = re.compile(
    r"^([A-Za-z0-9._-]+)==([\w.+]+)[^\n\\]*((?:\\?\n? +--hash=sha256:[0-9a-f]{64} ?\\?\n?)+)",
    re.MULTILINE,
)
R = re.compile(r"^([0-9a-f]{64}) (\w+)_([\w.]+)\.tar\.gz$", re.MULTILINE)


def materials(root=ROOT):
    """Packages as (type, name, version), each with its hashes and the files that name it."""
    root, found = Path(root), {}

    def add(package, hashes, path):
        algorithms, files = found.setdefault(package, (set(), set()))
        algorithms.update(hashes)
        files.add(path.relative_to(root).as_posix())

    scripts = sorted((root / "envs").glob("*.sh"))
    for path in [root / "requirements.lock", *sorted((root / "envs").glob("*.lock")), *scripts]:
        text = path.read_text(encoding="utf-8")
        for name, version, hashes in PYTHON.findall(text):
            digests = re.findall("[0-9a-f]{64}", hashes)
            add(("pypi", name.lower(), version), [("SHA-256", digest) for digest in digests], path)
        for digest, name, version in R.findall(text):
            add(("cran", name, version), [("SHA-256", digest)], path)
    path = root / "tests" / "browser" / "package-lock.json"
    for place, facts in json.loads(path.read_text(encoding="utf-8"))["packages"].items():
        if place:
            digest = base64.b64decode(facts["integrity"].removeprefix("sha512-")).hex()
            name = place.removeprefix("node_modules/")
            add(("npm", name, facts["version"]), [("SHA-512", digest)], path)
    return dict(sorted(found.items()))


def write_materials(out, root=ROOT):
    """Write the bill to `out`, after it was checked against CycloneDX's own schema.

    Without the time of writing and a random number: the same locks give the same bytes.
    """
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.bom import Bom
    from cyclonedx.model.component import Component, ComponentType
    from cyclonedx.output.json import JsonV1Dot6
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator
    from packageurl import PackageURL

    whole = Component(
        name="minority-topics",
        version=__version__,
        type=ComponentType.APPLICATION,
        bom_ref=f"minority-topics@{__version__}",
    )
    bom = Bom()
    bom.metadata.component = whole
    for (kind, name, version), (hashes, files) in materials(root).items():
        address = PackageURL(kind, None, name, version)
        bom.components.add(
            Component(
                name=name,
                version=version,
                type=ComponentType.LIBRARY,
                purl=address,
                bom_ref=str(address),
                # One for each file of the package that may be installed.
                hashes=[HashType(alg=HashAlgorithm(alg), content=text) for alg, text in hashes],
                properties=[Property(name="minority-topics:lock", value=path) for path in files],
            )
        )
    bom.register_dependency(whole, bom.components)
    content = json.loads(JsonV1Dot6(bom).output_as_string())
    content.pop("serialNumber", None)
    content["metadata"].pop("timestamp", None)
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    if problem := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"{out}: the bill does not follow CycloneDX: {problem}")
    write_text(out, text)
    return len(content["components"])
