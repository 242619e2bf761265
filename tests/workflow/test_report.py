"""The report in a real browser: nothing missing, nothing too wide, no network, no error."""

import json
import os
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from helpers import corpus_of, planted, snakemake, tiny

from minority_topics.base.files import write_json
from minority_topics.base.manifest import write_manifest
from minority_topics.report.catalogue import FIGURES
from minority_topics.report.figures import draw
from minority_topics.report.page import Sources, _variants, write_report
from minority_topics.scores.statistics import COMPARED, compare, summarise
from minority_topics.scores.tables import write_rows
from minority_topics.scores.verdicts import claims, numbers
from minority_topics.study.registry import read_methods

METHODS = read_methods()
SHOWN = [name for name, figure in FIGURES.items() if figure.table in ("scores", "random_states")]
# Asks the page itself what a reader would see, and leaves the answer where --dump-dom shows it.
PROBE = """
<script>
window.addEventListener("load", () => {
  const images = [...document.images].map(image => ({
    alt: image.alt, loaded: image.naturalWidth > 0,
    width: image.getBoundingClientRect().width, right: image.getBoundingClientRect().right,
  }));
  const wide = document.documentElement.scrollWidth, width = document.documentElement.clientWidth;
  document.body.dataset.seen = JSON.stringify({images, wide, width});
});
</script>
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The report of a small made-up study, with a method that failed."""
    folder = tmp_path_factory.mktemp("study") / "simulated"
    corpus_of(folder / "corpus" / "0", planted(30))
    facts = {"documents": 30, "words": 32, "injected_documents": 3, "ground_truth": "made up"}
    write_json(folder / "corpus" / "0" / "corpus.json", facts)
    write_manifest(folder / "corpus" / "0")
    (folder / "config.yaml").write_text(
        "methods: [a <b> & c]\nvariants: [guidednmf_lam1]\n", encoding="utf-8"
    )
    rng = np.random.default_rng(0)
    rows = []
    for method in ("constrained_nmf", "constrained_nmf_paper", "nmf", "keyatm", "truth"):
        for repetition in range(4):
            status = "failed" if method == "keyatm" else "ok"
            row = {"dataset": "simulated", "method": method, "n_topics": 20, "n_minority": 7}
            row |= {"repetition": repetition, "status": status}
            row["reason"] = "no compiler" if status == "failed" else ""
            names = ["purity", "nmi", "ami", "jsd_mean", "jsd_sd", "jsd_min", "jsd_max"]
            names += ["stability", "objective", "least_seed_share", "largest_free_weight"]
            row |= {name: rng.random() if status == "ok" else np.nan for name in names}
            rows.append(row | {"feasible": method == "constrained_nmf"})
    scores = pd.DataFrame(rows)
    published = pd.DataFrame({"purity": [0.1], "nmi": [0.2]}, index=["nmf"])
    solvers = {"constrained_nmf": "exact", "constrained_nmf_paper": "as published"}
    tables = {
        "scores": scores,
        "variants": scores.replace({"truth": "guidednmf_lam1"}),
        "summary": summarise(scores, COMPARED),
        "comparisons": compare(scores, "constrained_nmf", ["nmf"]),
        "paper_vs_ours": numbers(scores, published, solvers),
        "claims": claims(scores, None, None, solvers, {"nmf": "NMF"}),
    }
    (folder / "tables").mkdir()
    for name, table in tables.items():
        table.to_csv(folder / "tables" / f"{name}.csv", index=False)
    for name in SHOWN:
        draw(name, folder / "tables" / "scores.csv", METHODS, folder / "figures" / f"{name}.png")
    figures = [folder / "figures" / f"{name}.png" for name in SHOWN]
    used = [{"method": method, "versions": "", "engine": ""} for method in METHODS]
    write_rows(folder / "versions.csv", used)
    sources = Sources(
        {name: folder / "tables" / f"{name}.csv" for name in tables}, figures, folder / "corpus",
        folder / "versions.csv", folder / "config.yaml",
    )  # fmt: skip
    write_report(sources, METHODS, folder / "report.html")
    return folder / "report.html"


def test_reads_like_a_results_section(page):
    text = page.read_text(encoding="utf-8")
    for name in SHOWN:
        assert FIGURES[name].title in text
    assert "keyATM" not in text  # labels, as in figures: KeyATM
    assert "KeyATM, 4 failed: no compiler" in text
    assert "GuidedNMF whole list, λ = 1" in text
    assert "a &lt;b&gt; &amp; c" in text
    assert "holds for exact" in text
    assert re.search(r"Ebrahimi and Peltonen 2025; exact solver", text)


def test_variants_are_measured_by_the_first_model_even_behind_a_control():
    rows = [
        {"dataset": "d", "method": method, "n_topics": 4, "n_minority": 2, "repetition": 0}
        | {"status": "ok", "reason": "", "purity": purity, "nmi": 0.5, "jsd_mean": 0.5}
        for method, purity in (("truth", 1.0), ("constrained_nmf", 0.5), ("guidednmf_lam1", 0.7))
    ]
    (row,) = _variants(pd.DataFrame(rows), METHODS)
    assert row["ahead"] == ["Purity"]


def test_topics_are_those_of_the_first_model_even_behind_a_control(tmp_path):
    path = tiny(tmp_path, methods=["truth", "constrained_nmf"], repetitions=1)
    target = "results/simulated/tables/topics.csv"
    output = snakemake(target, "--configfile", path, "--dry-run", "-p", folder=tmp_path)
    command = next(line for line in output.splitlines() if "minority_topics topics " in line)
    assert "/fits/constrained_nmf/" in command


def test_asks_for_nothing_outside_the_page(page):
    addresses = re.findall(r'(?:src|href)="([^"]{1,40})', page.read_text(encoding="utf-8"))
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)


@pytest.mark.parametrize("width", [1280, 390])
def test_every_figure_is_visible_in_a_browser(page, width, tmp_path):
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if not browser:
        reason = "chromium is not installed (Debian: apt-get install chromium)"
        pytest.fail(reason) if "CI" in os.environ else pytest.skip(reason)
    probed = tmp_path / "probed.html"
    probed.write_text(page.read_text(encoding="utf-8").replace("</body>", f"{PROBE}</body>"))
    # A window has a least width; a frame has not.
    frame = tmp_path / "frame.html"
    frame.write_text(
        f'<body style="margin:0"><iframe src="{probed.name}" width="{width}" height="900" '
        'style="border:0" onload="document.body.dataset.seen = '
        'this.contentDocument.body.dataset.seen"></iframe></body>'
    )
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", "--enable-logging=stderr", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--window-size={max(width, 600)},1000"]
    command += ["--virtual-time-budget=10000", frame.as_uri()]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert "CONSOLE" not in ran.stderr
    answer = re.search(r'<body[^>]* data-seen="([^"]*)"', ran.stdout).group(1)
    seen = json.loads(answer.replace("&quot;", '"'))
    assert seen["width"] <= width
    assert seen["wide"] <= seen["width"]
    assert len(seen["images"]) == len(SHOWN)
    for image in seen["images"]:
        assert image["loaded"], image
        assert 0.5 * min(width, 500) < image["width"] <= width, image
        assert image["right"] <= width, image
