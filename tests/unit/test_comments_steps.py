"""The steps of own comments by their settings, and all of them in one call."""

import builtins
import errno
import json
import logging
import os
from pathlib import Path

import numpy as np
import pytest

from minority_topics.base.files import read_csv, replacing, write_csv
from minority_topics.cli import REMEDIES, main
from minority_topics.comments.answers.coding import SHEETS, write_sheets
from minority_topics.comments.privacy import read_secret

TALK = [
    ("I could not sleep and the anxiety came back", "2024-01-03", "a"),
    ("panic attack on the bus again, my heart was racing", "2024-01-09", "b"),
    ("this goal was the best of the season", "2024-02-02", "a"),
    ("great match, the team played so well", "2024-02-11", "b"),
    ("my anxiety and the panic get worse at night", "2024-03-01", "a"),
    ("the new album has a wonderful song", "2024-03-20", "b"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with 240 comments and seed words."""
    monkeypatch.chdir(tmp_path)
    rows = [
        [f"c{number}", *[TALK[number % 6][k] for k in (1, 2)], f"{TALK[number % 6][0]} {number}"]
        for number in range(240)
    ]
    write_csv(tmp_path / "comments.csv", ["id", "date", "channel", "text"], rows)
    (tmp_path / "seeds.txt").write_text("anxiety, panic attack # two entries\nsleepless\n")
    return tmp_path


ARGUMENTS = ["explore", "comments.csv", "--seed-words", "seeds.txt", "--language", "en"]


def test_from_files_to_the_page(folder, capsys):
    main([*ARGUMENTS, "--set", "n_topics=4", "--set", "n_minority=2", "--set", "lemmas=simplemma"])
    said = capsys.readouterr().out
    assert "240 comments kept" in said
    assert "2 of 3 entries found" in said
    assert "Not found: 'sleepless'" in said
    topics = read_csv(folder / "results/comments/tables/topics.csv")
    assert [row["kind"] for row in topics] == ["minority"] * 2 + ["majority"] * 2
    found = ", ".join(row["top_words"] for row in topics[:2])
    assert "anxiety" in found
    assert "panic attack" in found
    page = (folder / "results/comments/explorer.html").read_text(encoding="utf-8")
    assert "panic attack" in page

    main([*ARGUMENTS, "--set", "n_topics=4", "--set", "n_minority=2", "--set", "lemmas=simplemma"])
    said = capsys.readouterr().out
    for step in ("comments", "matrix", "model"):
        assert f"results/comments/{step} is up to date." in said
    # A setting of one step leaves those before it.
    main([*ARGUMENTS, "--set", "n_topics=5", "--set", "n_minority=2", "--set", "lemmas=simplemma"])
    said = capsys.readouterr().out
    assert "results/comments/matrix is up to date." in said
    assert "results/comments/model is up to date." not in said
    assert json.loads((folder / "results/comments/model/fit.json").read_text())["n_topics"] == 5


SMALL = ["--set", "n_topics=4", "--set", "n_minority=2", "--set", "lemmas=simplemma"]
UP_TO_DATE = "results/comments/{} is up to date."


def test_a_spoilt_file_or_other_code_makes_a_step_again(folder, capsys):
    main([*ARGUMENTS, *SMALL])
    model = folder / "results/comments/model"
    (model / "model.npz").write_bytes(b"spoilt")
    manifest = folder / "results/comments/matrix/manifest.json"
    content = json.loads(manifest.read_text())
    content["made_by"]["code"]["sha256"] = "of other code"
    manifest.write_text(json.dumps(content))
    capsys.readouterr()
    main([*ARGUMENTS, *SMALL])
    said = capsys.readouterr().out
    assert UP_TO_DATE.format("comments") in said
    assert UP_TO_DATE.format("matrix") not in said
    assert UP_TO_DATE.format("model") not in said
    assert (model / "model.npz").read_bytes() != b"spoilt"


def test_a_spoilt_record_of_a_step_makes_it_again(folder, capsys):
    main([*ARGUMENTS, *SMALL])
    record = folder / "results/comments/model/.made_from.json"
    whole = record.read_text()
    for content in (whole[:-9], "[]", ""):
        record.write_text(content)
        capsys.readouterr()
        main([*ARGUMENTS, *SMALL])
        said = capsys.readouterr().out
        assert UP_TO_DATE.format("matrix") in said
        assert UP_TO_DATE.format("model") not in said
        assert record.read_text() == whole


def test_without_texts_no_words_in_their_order_are_left(folder, capsys):
    careful = [*ARGUMENTS, *SMALL, "--set", "keep_texts=false"]
    main(careful)
    results = folder / "results/comments"
    assert not (results / "forms").exists()
    assert [*results.rglob("forms.npy"), *results.rglob("forms.txt")] == []
    capsys.readouterr()
    main(careful)
    said = capsys.readouterr().out
    assert all(UP_TO_DATE.format(step) in said for step in ("comments", "matrix", "model"))
    # What is made from the words reads the comments again.
    (folder / "seeds.txt").write_text("anxiety, panic attack\nsleep\n")
    main(careful)
    said = capsys.readouterr().out
    assert "240 comments kept" in said
    assert "3 of 3 entries found" in said
    assert not (results / "forms").exists()
    # Other words of comments whose ids, dates and groups are as before are seen.
    rows = [[*row.values()] for row in read_csv(folder / "comments.csv")]
    rows[2][3] = "zebra zebra"
    write_csv(folder / "comments.csv", ["id", "date", "channel", "text"], rows)
    main(careful)
    assert UP_TO_DATE.format("matrix") not in capsys.readouterr().out


def test_with_texts_a_new_list_of_seed_words_reads_nothing_again(folder, capsys):
    main([*ARGUMENTS, *SMALL])
    assert (folder / "results/comments/forms/forms.npy").exists()
    (folder / "seeds.txt").write_text("anxiety, panic attack\nsleep\n")
    capsys.readouterr()
    main([*ARGUMENTS, *SMALL])
    said = capsys.readouterr().out
    assert UP_TO_DATE.format("comments") in said
    assert "3 of 3 entries found" in said


def refuse_to_open(monkeypatch, number, name):
    """Let nobody open a new file in a folder of this name, as where it is read-only or full."""
    real = builtins.open

    def refuse(path, mode="r", *arguments, **options):
        if "w" in mode and Path("results/comments") / name in getattr(path, "parents", ()):
            raise OSError(number, os.strerror(number), str(path))
        return real(path, mode, *arguments, **options)

    monkeypatch.setattr(builtins, "open", refuse)


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (errno.EROFS, "read-only file system; check the permissions of the file and its folder"),
        (errno.EACCES, "permission denied; check the permissions of the file and its folder"),
        (errno.ENOSPC, "no space left on device; make room on the disk and run again"),
    ],
)
@pytest.mark.parametrize(
    ("name", "file"),
    [("comments", "comments.parquet"), ("matrix", "counts.npz"), ("tables", "topics.csv")],
)
def test_a_folder_that_takes_nothing_is_one_sentence(
    folder, monkeypatch, number, problem, name, file
):
    refuse_to_open(monkeypatch, number, name)
    with pytest.raises(SystemExit) as stopped:
        main([*ARGUMENTS, *SMALL, "--set", "max_iter=2"])
    assert str(stopped.value).startswith(
        f"minority_topics explore: results/comments/{name}/{file}: {problem}"
    )
    assert "\n" not in str(stopped.value)


def test_a_disk_that_is_full_is_told_for_every_file(tmp_path):
    """Files of no more than so many bytes: numpy, pyarrow and the secret of ids all say so."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
        with (
            pytest.raises(OSError, match=r"a\.npy") as array,
            replacing(tmp_path / "a.npy", "wb") as file,
        ):
            np.save(file, np.zeros(10_000))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        with pytest.raises(OSError, match="secret") as secret:
            read_secret(tmp_path / "secret")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert array.value.filename == str(tmp_path / "a.npy")
    assert secret.value.filename == str(tmp_path / "secret")
    assert {array.value.errno, secret.value.errno} <= {*REMEDIES}
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--set", "n_topic=3"], "unknown key; did you mean 'n_topics'"),
        (["--set", "text_column=body"], "body"),
        (["--name", "Bad Name"], "must be a name of small letters"),
    ],
)
def test_a_wrong_argument_is_one_sentence(folder, arguments, sentence):
    with pytest.raises(SystemExit) as stopped:
        main([*ARGUMENTS, *arguments])
    assert sentence in str(stopped.value)
    assert "\n" not in str(stopped.value)


@pytest.mark.parametrize("name", ["results", "results/comments", "results/logs"])
def test_a_folder_of_results_that_takes_nothing_is_told_before_the_run(folder, monkeypatch, name):
    for path in ("results/comments", "results/logs"):
        (folder / path).mkdir(parents=True, exist_ok=True)
    # Nothing is forbidden to root, who may run this test.
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != name)
    if name == "results":
        (folder / "results/comments").rmdir()
    with pytest.raises(SystemExit, match=f"configure_comments: {name}: permission denied; check"):
        main(["configure_comments", *ARGUMENTS[1:], "--out", "mine.yaml"])
    assert not (folder / "mine.yaml").exists()


def test_several_files_in_one_name_are_told_apart(folder):
    (folder / "more.csv").write_text("text\nmore words\n")
    (folder / "a b.csv").write_text("text\nmore words\n")
    out = ["--out", "config.yaml"]
    rest = ["--seed-words", "seeds.txt", "--language", "en"]
    main(["configure_comments", "a b.csv", *rest, *out])
    with pytest.raises(SystemExit, match=r"'comments.csv more.csv': no such file; .* a pattern"):
        main(["configure_comments", "comments.csv more.csv", *rest, *out])


def test_without_a_seed_word_the_run_stops(folder):
    (folder / "seeds.txt").write_text("zebra\n")
    with pytest.raises(SystemExit, match="zebra"):
        main([*ARGUMENTS, "--set", "lemmas=simplemma"])


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("f,\n", "f,3\n"),
        lambda text: text.replace("f,\n", "f,3\n").replace(",answer", ",my answer"),
        lambda text: text.replace("f,\n", "f,3\n").replace(",answer", ",Antwort ä\x81"),
    ],
    ids=["filled in", "column renamed", "in no encoding"],
)
def test_the_work_of_coders_is_not_written_over(tmp_path, caplog, edit):
    item = {"topic": 1, "answer": 1, "intruder": "x", "options": list("abcdef"), "row": ""}
    write_sheets(tmp_path, [item], [], {})
    sheet = tmp_path / SHEETS[0]
    sheet.write_bytes(edit(sheet.read_text()).encode("latin-1"))
    before = [path.read_bytes() for path in sorted(tmp_path.iterdir())]
    with caplog.at_level(logging.WARNING, "minority_topics"):
        write_sheets(tmp_path, [item, item], [], {})
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == before
    assert "holds answers or was changed" in caplog.text


def test_sheets_that_nobody_filled_in_are_renewed(tmp_path):
    item = {"topic": 1, "answer": 1, "intruder": "x", "options": list("abcdef"), "row": ""}
    for items in ([], [item], [item, item]):
        write_sheets(tmp_path, items, [], {})
        assert len(read_csv(tmp_path / SHEETS[0])) == len(items)
