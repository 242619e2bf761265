"""Sheets for coders: what they show, how they are scored, and what a hand-coded sample says."""

import csv
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
import yaml
from answers_folder import Study, write_model

from minority_topics.base.files import MANIFEST, read_csv, write_csv
from minority_topics.base.manifest import DamagedFolder, write_manifest
from minority_topics.base.strict_yaml import read_yaml
from minority_topics.comments import folders
from minority_topics.comments.answers import answer
from minority_topics.comments.answers.coding import score_intrusion
from minority_topics.comments.answers.correcting import (
    STRATA,
    _estimate,
    correct_prevalence,
    draw_sample,
)
from minority_topics.comments.answers.intervals import without_replacement
from minority_topics.comments.summaries import of_answers
from minority_topics.corpus.readers import DataError


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    study = Study(tmp_path_factory.mktemp("study"))
    answer(*study.folders, study.folder / "r" / "tables")
    return study


@pytest.fixture(scope="module")
def coding(study):
    return study.folder / "r" / "tables" / "coding"


def filled(sheet, path, answers, column="answer"):
    """A copy of a sheet with the answers of a coder, by item."""
    rows = read_csv(sheet)
    for row in rows:
        row[column] = answers.get(row["item"], "")
    write_csv(path, list(rows[0]), [list(row.values()) for row in rows])
    return path


def key_of(coding):
    return {row["item"]: row for row in read_csv(coding / "key.csv")}


def test_an_intruding_word_is_of_another_topic(coding):
    key = key_of(coding)
    rows = read_csv(coding / "word_intrusion.csv")
    assert sorted(key[row["item"]]["topic"] for row in rows) == ["1", "2", "3", "4"]
    for row in rows:
        options = [row[f"option_{n}"] for n in range(1, 7)]
        own = f"w{key[row['item']]['topic']}"
        strangers = [n for n, word in enumerate(options, start=1) if not word.startswith(own)]
        assert strangers == [int(key[row["item"]]["answer"])]
        assert {word for word in options if word.startswith(own)} == {
            f"{own}x0{i}" for i in range(5)
        }
        assert row["answer"] == ""


def test_an_intruding_topic_is_none_of_the_comment(coding, study):
    key = key_of(coding)
    rows = read_csv(coding / "topic_intrusion.csv")
    assert len(rows) == 12
    for row in rows:
        entry = key[row["item"]]
        share = study.shares[int(entry["row"])]
        assert row["text"] == study.texts[int(entry["row"])]
        assert int(entry["topic"]) == share.argmax() + 1
        options = [row[f"option_{n}"] for n in range(1, int(entry["options"]) + 1)]
        topics = [int(option[1]) - 1 for option in options]
        assert len(options) == 3
        assert [share[k] == 0 for k in topics].index(True) + 1 == int(entry["answer"])
        assert sum(share[k] == 0 for k in topics) == 1


def test_a_comment_of_one_topic_is_no_item_and_topics_without_one_are_told(tmp_path):
    """Of topic 1 all comments have it alone; those of the others have two topics of four."""
    study = Study(tmp_path)
    shares = study.shares.copy()
    alone = shares.argmax(1) == 0
    shares[alone] = np.eye(4)[0]
    write_model(study.model, study.components, shares, 2)
    facts = answer(*study.folders, tmp_path / "out")
    key = key_of(tmp_path / "out" / "coding")
    items = [row for item, row in key.items() if item.startswith("T")]
    assert {row["topic"] for row in items} == {"2", "3", "4"}
    assert min(int(row["options"]) for row in items) >= 3
    assert facts["topics_without_comment_to_code"] == [1]
    assert of_answers(facts)[1].startswith("topic_intrusion.csv has no comment of topic 1: ")


def test_two_topics_leave_no_intruder(tmp_path):
    study = Study(tmp_path)
    names = tmp_path / "topics.yaml"
    answer(*study.folders, tmp_path / "out", topics_file=names)
    content = read_yaml(names)
    content["topics"][1]["merge"], content["topics"][3]["merge"] = 2, 4
    names.write_text(yaml.safe_dump(content), encoding="utf-8")
    facts = answer(*study.folders, tmp_path / "out", topics_file=names)
    assert not any(item.startswith("T") for item in key_of(tmp_path / "out" / "coding"))
    assert facts["topics_without_comment_to_code"] == [2, 4]
    assert "of topics 2 and 4: " in of_answers(facts)[1]


def test_the_key_is_apart(coding):
    for sheet in ("word_intrusion.csv", "topic_intrusion.csv"):
        header = (coding / sheet).read_text(encoding="utf-8").split("\n")[0]
        assert "intruder" not in header
        assert "topic" not in header.split(",")


def test_coders_are_scored_by_topic(coding, tmp_path):
    key = key_of(coding)
    right = {item: row["answer"] for item, row in key.items()}
    words = {item: row["intruder"] for item, row in key.items()}
    wrong = {item: str(int(n) % 6 + 1) for item, n in right.items()}
    first = min(item for item in right if item.startswith("W"))
    sheet = coding / "word_intrusion.csv"
    coders = [
        filled(sheet, tmp_path / "1.csv", right),
        filled(sheet, tmp_path / "2.csv", words),
        filled(sheet, tmp_path / "3.csv", {**wrong, first: ""}),
    ]
    rows = score_intrusion(coders, coding / "key.csv")
    by_topic = {row["topic"]: row for row in rows}
    assert list(by_topic) == [1, 2, 3, 4, "all"]
    total = by_topic["all"]
    assert (total["answers"], total["found"], total["unanswered"]) == (11, 8, 1)
    assert total["accuracy"] == pytest.approx(8 / 11)
    assert total["chance"] == pytest.approx(1 / 6)
    assert total["low"] < 8 / 11 < total["high"]
    # Of three answers to an item, one pair of three agrees; of two, the one pair does.
    assert total["agreement"] == pytest.approx((3 * 1 + 1) / (3 * 3 + 1))
    topic = int(key[first]["topic"])
    assert (by_topic[topic]["found"], by_topic[topic]["answers"]) == (2, 2)
    # Wilson's interval of 2 of 3.
    other = next(k for k in (1, 2, 3, 4) if k != topic)
    assert by_topic[other]["low"] == pytest.approx(0.2077, abs=1e-4)
    assert by_topic[other]["high"] == pytest.approx(0.9385, abs=1e-4)


@pytest.mark.parametrize(
    ("delimiter", "encoding"),
    [(";", "utf-8-sig"), ("\t", "utf-8"), (";", "cp1252"), ("\t", "utf-16")],
)
def test_a_sheet_that_a_spreadsheet_saved_is_read(coding, tmp_path, delimiter, encoding):
    key = key_of(coding)
    rows = read_csv(coding / "word_intrusion.csv")
    with open(tmp_path / "w.csv", "w", newline="", encoding=encoding) as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow([*rows[0], "särö; a note, of mine"])
        for row in rows:
            writer.writerow([*list(row.values())[:-1], key[row["item"]]["answer"], "ä"])
    assert score_intrusion(tmp_path / "w.csv", coding / "key.csv")[-1]["found"] == 4


def test_chance_follows_the_number_of_options(coding, tmp_path):
    right = {item: row["answer"] for item, row in key_of(coding).items()}
    sheet = filled(coding / "topic_intrusion.csv", tmp_path / "t.csv", right)
    total = score_intrusion(sheet, coding / "key.csv")[-1]
    assert (total["accuracy"], total["chance"]) == (1, pytest.approx(1 / 3))


def test_no_answers_are_no_accuracy(coding):
    total = score_intrusion(coding / "word_intrusion.csv", coding / "key.csv")[-1]
    assert (total["answers"], total["unanswered"]) == (0, 4)
    assert np.isnan(total["accuracy"])


@pytest.mark.parametrize(
    ("answer_given", "message"), [("7", "write a number from 1 to 6"), ("maybe", "'maybe'")]
)
def test_an_answer_that_is_none_is_refused(coding, tmp_path, answer_given, message):
    sheet = filled(coding / "word_intrusion.csv", tmp_path / "w.csv", {"W1": answer_given})
    with pytest.raises(DataError, match=message):
        score_intrusion(sheet, coding / "key.csv")


def test_the_key_of_another_run_is_refused(study, coding, tmp_path):
    other = tmp_path / "r" / "tables"
    answer(*study.folders, other, random_state=5)
    with pytest.raises(DataError, match="take the key"):
        score_intrusion(coding / "word_intrusion.csv", other / "coding" / "key.csv")
    with pytest.raises(DataError, match="there is no such file"):
        score_intrusion(tmp_path / "none.csv", coding / "key.csv")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("W9,one,1,x,6,", "line 2: topic is 'one', not a whole number; use the file as it"),
        ("W9,1,7,x,6,", "line 2: answer is 7, options is 6"),
        ("W9,1,0,x,6,", "line 2: answer is 0"),
        ("W9,1,8,x,900000000,", "options is 900000000"),
    ],
)
def test_a_key_of_intrusion_that_was_changed_is_refused(coding, tmp_path, row, message):
    lines = (coding / "key.csv").read_text(encoding="utf-8").splitlines()
    (tmp_path / "key.csv").write_text("\n".join([lines[0], row, *lines[1:]]), encoding="utf-8")
    with pytest.raises(DataError, match=rf"key\.csv.*{message}"):
        score_intrusion(coding / "word_intrusion.csv", tmp_path / "key.csv")


def test_a_workbook_is_no_sheet(coding, tmp_path):
    (tmp_path / "w.xlsx").write_bytes(b"PK\x03\x04 and so on")
    with pytest.raises(DataError, match="Excel workbook; unpack it, or save it as CSV"):
        score_intrusion(tmp_path / "w.xlsx", coding / "key.csv")


# A hand-coded sample.


@pytest.fixture
def sample(study, tmp_path):
    return draw_sample(
        study.folder / "r" / "tables",
        study.comments,
        tmp_path / "coding" / "sample.csv",
        topic=1,
        n=90,
    )


def test_the_sample_has_as_many_of_each_stratum_and_does_not_say_which(sample, study):
    rows, key = read_csv(sample), read_csv(sample.with_name("sample_key.csv"))
    assert list(rows[0]) == ["item", "id", "text", "question", "coded"]
    assert "w1x00" in rows[0]["question"]
    drawn = {row["item"]: row for row in key if row["item"]}
    assert len(drawn) == len(rows) == 90
    counts = [sum(row["stratum"] == name for row in drawn.values()) for name in STRATA]
    assert counts == [30, 30, 30]
    for row in rows:
        entry = drawn[row["item"]]
        share = study.shares[int(entry["row"])]
        expected = 0 if share.argmax() == 0 else 1 if share[0] >= 0.1 else 2
        assert entry["stratum"] == STRATA[expected]
        assert row["text"] == study.texts[int(entry["row"])]
    sizes = {row["stratum"]: int(row["documents"]) for row in key}
    assert sum(sizes.values()) == len(study.texts)
    assert sizes[STRATA[0]] == np.count_nonzero(study.shares.argmax(1) == 0)


def test_a_coded_sheet_and_its_key_are_never_written_over(sample, study):
    """Nor is the key of a sheet that was renamed: nobody could correct by it any more."""
    folders_ = study.folder / "r" / "tables", study.comments
    key = sample.with_name("sample_key.csv")
    before = sample.read_bytes(), key.read_bytes()
    with pytest.raises(DataError, match=r"sample\.csv: this file exists already"):
        draw_sample(*folders_, sample, n=30)
    sample.rename(sample.with_name("coded.csv"))
    with pytest.raises(DataError, match=r"sample_key\.csv: this file exists already"):
        draw_sample(*folders_, sample, n=30)
    assert (sample.with_name("coded.csv").read_bytes(), key.read_bytes()) == before
    with pytest.raises(DataError, match="there is no topic 9"):
        draw_sample(
            study.folder / "r" / "tables",
            study.comments,
            sample.with_name("x.csv"),
            topic=9,
        )


@pytest.mark.parametrize("other", [{"n": 60}, {"random_state": 2}, {"topic": 2}])
def test_the_key_of_another_sample_is_refused(sample, study, tmp_path, other):
    items = [row["item"] for row in read_csv(sample)]
    coded = filled(sample, tmp_path / "coded.csv", dict.fromkeys(items, "1"), "coded")
    assert correct_prevalence(coded, sample.with_name("sample_key.csv"))["prevalence"] == 1
    options = {"topic": 1, "n": 90, **other}
    draw_sample(study.folder / "r" / "tables", study.comments, tmp_path / "b.csv", **options)
    with pytest.raises(DataError, match="take the key that was written with the sheet"):
        correct_prevalence(coded, tmp_path / "b_key.csv")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("main topic,", "my topic,", r"line \d+: there is no stratum 'my topic'; use the file as"),
        (",,other,", ",,other,many", r"line 94: documents is 'many\d+', not a whole number"),
        (",,other,", "S1-x,,other,", "the size of the stratum 'other' is missing"),
        ("stratum", "level", "there is no column stratum"),
        (",,main topic,", ",,main topic,9,1\n,,other,", "has 9 comments, but 30 items"),
    ],
)
def test_a_key_that_was_changed_is_refused(sample, old, new, message):
    key = sample.with_name("sample_key.csv")
    key.write_text(key.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=rf"sample_key\.csv.*{message}"):
        correct_prevalence(sample)


def test_an_item_that_stands_twice_is_refused(sample, coding, tmp_path):
    """As in the sheets of two coders, one below the other: each comment would count twice."""
    for sheet, score in (
        (sample, lambda path: correct_prevalence(path, sample.with_name("sample_key.csv"))),
        (coding / "word_intrusion.csv", lambda path: score_intrusion(path, coding / "key.csv")),
    ):
        lines = sheet.read_text(encoding="utf-8").splitlines(keepends=True)
        (tmp_path / "twice.csv").write_text("".join([*lines, *lines[1:]]), encoding="utf-8")
        with pytest.raises(DataError, match=r"there are two rows of item '[SW]1"):
            score(tmp_path / "twice.csv")


def test_a_sample_is_of_tables_and_comments_as_they_were_written(study, tmp_path):
    for folder, name in (("r/tables", folders.TOPICS), ("r/tables", folders.DOCUMENTS),
                         ("comments", folders.COMMENTS)):  # fmt: skip
        copy = tmp_path / name
        shutil.copytree(study.folder, copy)
        with open(copy / folder / name, "ab") as file:
            file.write(b"\n")
        with pytest.raises(DamagedFolder, match=rf"{name} is damaged"):
            draw_sample(copy / "r" / "tables", copy / "comments", tmp_path / "s.csv", n=30)
    assert not (tmp_path / "s.csv").exists()


def test_all_minority_topics_together(study, tmp_path):
    sheet = draw_sample(study.folder / "r" / "tables", study.comments, tmp_path / "s.csv", n=30)
    sizes = {row["stratum"]: int(row["documents"]) for row in read_csv(tmp_path / "s_key.csv")}
    assert sizes[STRATA[0]] == np.count_nonzero(study.shares.argmax(1) < 2)
    assert len(read_csv(sheet)) == 30


def test_the_corrected_prevalence_by_hand(tmp_path):
    # 100 of 1000 assigned, 8 of 10 right; none beside; 900 others, 1 of 20 missed.
    key = [
        [n, n, STRATA[0] if n <= 10 else STRATA[2], 100 if n <= 10 else 900, 1]
        for n in range(1, 31)
    ]
    key += [["", "", STRATA[0], 100, 1], ["", "", STRATA[1], 0, 1], ["", "", STRATA[2], 900, 1]]
    write_csv(tmp_path / "s_key.csv", ["item", "row", "stratum", "documents", "topic"], key)
    coded = ["yes"] * 8 + ["0"] * 2 + ["1"] + ["No"] * 19
    write_csv(tmp_path / "s.csv", ["item", "coded"], [[n, c] for n, c in enumerate(coded, start=1)])
    found = correct_prevalence(tmp_path / "s.csv")
    assert found["measured"] == pytest.approx(0.1)
    assert found["prevalence"] == pytest.approx(0.1 * 0.8 + 0.9 * 0.05)
    assert found["precision"] == pytest.approx(0.8)
    assert found["recall"] == pytest.approx(0.08 / 0.125)
    assert found["coded"] == 30
    # 10 of 100 tell as much as 10 * 99 / 90 = 11, and 20 of 900 as 20 * 899 / 880 = 20.43. Wilson:
    # 80% of 11 is 0.5045 to 0.9402, 5% of 20.43 is 0.0090 to 0.2334.
    below = np.hypot(0.1 * (0.8 - 0.50454), 0.9 * (0.05 - 0.00902))
    above = np.hypot(0.1 * (0.94016 - 0.8), 0.9 * (0.23342 - 0.05))
    assert found["low"] == pytest.approx(0.125 - below, abs=1e-4)
    assert found["high"] == pytest.approx(0.125 + above, abs=1e-4)


def test_a_stratum_that_was_coded_whole_leaves_no_doubt():
    sizes = dict(zip(STRATA, (4, 0, 5), strict=True))
    coded = dict(zip(STRATA, ([1, 1, 1, 0], [], [0, 0, 1, 0, 0]), strict=True))
    found = _estimate(sizes, coded)
    assert found["low"] == found["prevalence"] == found["high"] == pytest.approx(4 / 9)
    assert (found["precision_low"], found["precision_high"]) == (0.75, 0.75)
    # One of two: n' = 1 * (2 - 1) / (2 - 1) = 1, as of infinitely many.
    assert without_replacement([1, 10, 3], [2, 100, 3]).tolist() == [1, 11, np.inf]


def test_the_correction_is_right_on_average_and_its_interval_covers(study, tmp_path):
    """The coder sees the truth: a comment is about topic 1 by its words, some of them misplaced."""
    rng = np.random.default_rng(3)
    truth = study.shares.argmax(1) == 0
    flip = rng.random(len(truth)) < np.where(truth, 0.3, 0.05)
    truth = truth ^ flip
    estimates, covered = [], []
    for state in range(40):
        sheet = draw_sample(
            study.folder / "r" / "tables",
            study.comments,
            tmp_path / f"{state}.csv",
            topic=1,
            n=120,
            random_state=state,
        )
        rows = {row["item"]: row["row"] for row in read_csv(tmp_path / f"{state}_key.csv")}
        answers = {item: str(int(truth[int(row)])) for item, row in rows.items() if item}
        found = correct_prevalence(filled(sheet, tmp_path / f"{state}c.csv", answers, "coded"),
                                   tmp_path / f"{state}_key.csv")  # fmt: skip
        estimates.append(found["prevalence"])
        covered.append(found["low"] <= truth.mean() <= found["high"])
    assert np.mean(estimates) == pytest.approx(truth.mean(), abs=0.01)
    assert np.mean(covered) >= 0.9


def test_what_is_not_coded_is_left_out_and_what_is_odd_refused(sample, tmp_path):
    items = [row["item"] for row in read_csv(sample)]
    key = sample.with_name("sample_key.csv")
    half = filled(sample, tmp_path / "half.csv", dict.fromkeys(items[:45], "1"), "coded")
    assert correct_prevalence(half, key)["coded"] == 45
    odd = filled(sample, tmp_path / "odd.csv", {items[3]: "perhaps"}, "coded")
    with pytest.raises(DataError, match=r"line 5: coded is 'perhaps'; write 1 for yes or 0 for no"):
        correct_prevalence(odd, key)
    with pytest.raises(DataError, match="no comment of the stratum"):
        correct_prevalence(sample, key)


def test_strata_come_from_documents_with_words(study):
    table = pq.read_table(study.folder / "r" / "tables" / folders.DOCUMENTS)
    assert table["has_words"].to_pylist() == [True] * len(study.texts)


def test_sheets_are_plain_csv(sample):
    with open(sample, newline="", encoding="utf-8") as file:
        assert all(len(row) == 5 for row in csv.reader(file))


def test_comments_of_other_tables_and_without_texts_are_refused(study, tmp_path):
    tables, path = study.folder / "r" / "tables", study.comments / folders.COMMENTS
    table = pq.read_table(path)
    ids = table["id"].to_pylist()
    others = {
        "not those of": [
            table.slice(1),
            table.set_column(table.column_names.index("id"), "id", [ids[::-1]]),
        ],
        "no texts to code": [table.drop_columns("text")],
    }
    for sentence, changed in others.items():
        for other in changed:
            pq.write_table(other, tmp_path / folders.COMMENTS)
            write_manifest(tmp_path)
            with pytest.raises(DataError, match=sentence):
                draw_sample(tables, tmp_path, tmp_path / "s.csv", n=50)
    assert {file.name for file in tmp_path.iterdir()} == {folders.COMMENTS, MANIFEST}
