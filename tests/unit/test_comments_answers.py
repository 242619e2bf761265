"""The tables of a small study: what was planted comes out, and hostile text stays text."""

import datetime as dt
import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from answers_folder import Study, write_comments, write_matrix, write_model

from minority_topics.base.files import read_csv
from minority_topics.base.manifest import DamagedFolder, check_manifest
from minority_topics.comments import folders
from minority_topics.comments.answers import answer, examples, keyness, material
from minority_topics.comments.answers.material import Shares, Words
from minority_topics.comments.answers.naming import Naming
from minority_topics.comments.answers.topics import arrange
from minority_topics.corpus.readers import DataError


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return Study(tmp_path_factory.mktemp("study"))


@pytest.fixture(scope="module")
def tables(study):
    out = study.folder / "results" / "tables"
    answer(*study.folders, out, topics_file=study.folder / "topics.yaml", period="month")
    return out


def words_of(matrix):
    matrix = sp.csr_matrix(matrix)
    return Words(matrix.indptr.astype(np.int64), matrix.indices, matrix.shape[1])


def test_every_file_is_there_and_listed(tables):
    names = {path.name for path in tables.iterdir() if path.is_file()}
    assert names >= {
        folders.TOPICS, folders.TOPIC_WORDS, folders.EXAMPLES, folders.TRENDS, folders.GROUPS,
        folders.TOPIC_MAP, folders.SUGGESTED_WORDS, folders.SEED_FREE, folders.SUMMARY,
        folders.DOCUMENTS, folders.INPUT_REPORT, folders.SEED_WORDS, folders.SEED_FORMS,
        "topics.md", "topics.tex", "topics.xlsx", "topics.yaml",
    }  # fmt: skip
    check_manifest(tables)
    assert {path.name for path in (tables / "coding").iterdir()} == {
        "word_intrusion.csv", "topic_intrusion.csv", "key.csv",
    }  # fmt: skip


def test_topics_by_hand(tables, study):
    rows = read_csv(tables / folders.TOPICS)
    assert [row["topic"] for row in rows] == ["1", "2", "3", "4"]
    assert [row["kind"] for row in rows] == ["minority"] * 2 + ["majority"] * 2
    assert rows[0]["name"] == "w1x00, w1x01, w1x02"
    assert rows[2]["seed_words"] == ""
    for k, row in enumerate(rows):
        assert float(row["prevalence"]) == pytest.approx(study.shares[:, k].mean(), rel=1e-5)
        assert int(row["documents"]) == np.count_nonzero(study.shares.argmax(1) == k)
        h = study.components[k]
        seeds = [study.vocabulary.index(word) for word in study.seed_words]
        assert float(row["seed_share"]) == pytest.approx(h[seeds].sum() / h.sum(), rel=1e-4)


def test_exclusivity_is_the_share_of_the_word(tables, study):
    phi = study.components / study.components.sum(axis=1, keepdims=True)
    rows = read_csv(tables / folders.TOPIC_WORDS)
    assert len(rows) == 4 * 20
    for row in rows:
        k, column = int(row["topic"]) - 1, study.vocabulary.index(row["word"])
        assert float(row["weight"]) == pytest.approx(phi[k, column], rel=1e-4)
        share = phi[k, column] / phi[:, column].sum()
        assert float(row["exclusivity"]) == pytest.approx(share, rel=1e-4)
        assert row["seed"] == str(int(row["word"] in study.seed_words))


def test_the_planted_trend_and_the_planted_group_come_out(tables, study):
    trend = [row for row in read_csv(tables / folders.TRENDS) if row["topic"] == "1"]
    assert [row["period"] for row in trend] == [f"2024-{month:02d}" for month in range(1, 13)]
    assert max(float(row["high"]) for row in trend[:6]) < max(
        float(row["low"]) for row in trend[6:]
    )
    assert sum(int(row["documents"]) for row in trend) == len(study.texts)
    a, b = (row for row in read_csv(tables / folders.GROUPS) if row["topic"] == "1")
    assert (a["group"], b["group"]) == ("a", "b")
    assert float(a["low"]) > float(b["high"])
    of_a = np.array(study.groups) == "a"
    assert float(a["prevalence"]) == pytest.approx(study.shares[of_a, 0].mean(), rel=1e-5)


def test_documents_have_their_topics(tables, study):
    table = pq.read_table(tables / folders.DOCUMENTS).to_pylist()
    assert [row["row"] for row in table] == list(range(len(study.texts)))
    assert [row["id"] for row in table] == [str(n + 1) for n in range(len(study.texts))]
    for row, share in zip(table, study.shares, strict=True):
        assert row["main_topic"] == share.argmax() + 1
        assert row["topics"] == [int(k) + 1 for k in np.flatnonzero(share)]
        assert row["weights"] == pytest.approx(list(share[share > 0]))


def test_suggested_words_are_words_of_minority_topics_and_no_seeds(tables, study):
    rows = read_csv(tables / folders.SUGGESTED_WORDS)
    words = {row["word"] for row in rows}
    assert words == {
        word
        for word in study.vocabulary
        if word[:2] in ("w1", "w2") and word not in study.seed_words
    }
    assert all(row["topic"] == row["word"][1] for row in rows)
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)


def test_the_seed_free_sample_holds_no_seed_and_says_what_it_is(tables, study):
    rows = read_csv(tables / folders.SEED_FREE)
    assert {row["sample"] for row in rows} == {"random", "enriched"}
    assert len({row["row"] for row in rows}) == len(rows)
    for row in rows:
        words = study.documents[int(row["row"])]
        assert not set(words) & set(study.seed_words)
        assert row["text"] == study.texts[int(row["row"])]
        if row["sample"] == "enriched":
            assert row["suggested_words"]
        assert set(filter(None, row["suggested_words"].split(", "))) <= set(words)


def test_the_summary_and_the_names_as_applied(tables, study):
    summary = json.loads((tables / folders.SUMMARY).read_text(encoding="utf-8"))
    assert summary["rows_kept"] == len(study.texts)
    assert (summary["n_topics"], summary["n_minority"], summary["period"]) == (4, 2, "month")
    assert summary["topics_file"]["written"]
    assert summary["texts"] is True
    assert (tables / "topics.yaml").read_bytes() == (study.folder / "topics.yaml").read_bytes()


def test_the_same_run_gives_the_same_files(tables, study):
    again = study.folder / "again" / "tables"
    answer(*study.folders, again, period="month", name="results")
    for path in tables.rglob("*"):
        if path.is_file() and path.name not in ("manifest.json", folders.SUMMARY):
            assert path.read_bytes() == (again / path.relative_to(tables)).read_bytes(), path.name


def test_names_merges_and_drops(study):
    out, file = study.folder / "edited" / "tables", study.folder / "edited.yaml"
    answer(*study.folders, out, topics_file=file)
    parts = file.read_text(encoding="utf-8").split("\n  ")
    at = [n for n, part in enumerate(parts) if part.strip().rstrip(":").isdigit()]
    parts[at[0] + 2] = "  name: 'My \"topic\" & <b>'"
    parts[at[1] + 3] = "  merge: 1"
    parts[at[3] + 4] = "  drop: true"
    file.write_text("\n  ".join(parts) + "\n", encoding="utf-8")
    summary = answer(*study.folders, out, topics_file=file)
    assert summary["topics_file"]["applied"] == [1, 2, 4]
    rows = read_csv(out / folders.TOPICS)
    assert [row["topic"] for row in rows] == ["1", "3"]
    assert rows[0]["name"] == 'My "topic" & <b>'
    assert float(rows[0]["prevalence"]) == pytest.approx(
        study.shares[:, :2].sum(1).mean(), rel=1e-5
    )
    # Words of both, by how much of the comments each has.
    assert {word[:2] for word in rows[0]["top_words"].split(", ")} == {"w1", "w2"}
    main = [row["main_topic"] for row in pq.read_table(out / folders.DOCUMENTS).to_pylist()]
    expected = [{1: 1, 2: 1, 3: 3, 4: None}[int(k) + 1] for k in study.shares.argmax(1)]
    assert main == expected
    assert {row["topic"] for row in read_csv(out / folders.TRENDS)} == {"1", "3"}
    assert {row["topic"] for row in read_csv(out / "coding" / "key.csv")} <= {"1", "3"}


def test_without_texts_no_text_is_anywhere(study):
    out = study.folder / "private" / "tables"
    summary = answer(*study.folders, out, keep_texts=False)
    assert summary["texts"] is False
    assert {row["text"] for row in read_csv(out / folders.EXAMPLES)} == {""}
    assert {row["text"] for row in read_csv(out / folders.SEED_FREE)} == {""}
    assert (out / "coding" / "topic_intrusion.csv").read_text().count("\n") == 1
    texts = set(study.texts)
    for path in out.rglob("*.csv"):
        assert not any(text in path.read_text(encoding="utf-8") for text in texts), path.name


def test_comments_read_without_texts_dates_and_groups(tmp_path):
    study = Study(tmp_path, n=60, keep_texts=False, dates=None, groups=None)
    out = tmp_path / "r" / "tables"
    assert answer(*study.folders, out)["period"] == "month"
    assert read_csv(out / folders.TRENDS) == []
    assert read_csv(out / folders.GROUPS) == []
    assert {row["text"] for row in read_csv(out / folders.EXAMPLES)} == {""}


def test_neither_number_nor_prevalence_of_a_small_period_is_told(tmp_path):
    study = Study(tmp_path, n=100)
    study.dates[:3] = [dt.datetime(2023, 11, 5)] * 3
    study.write()
    out = tmp_path / "r" / "tables"
    answer(*study.folders, out, least_count=4)
    rows = [row for row in read_csv(out / folders.TRENDS) if row["topic"] == "1"]
    numbers = {row["period"]: (row["documents"], row["prevalence"]) for row in rows}
    assert numbers["2023-11"] == ("", "")
    assert numbers["2023-12"] == ("0", "")
    # The three would follow from the total, but for the smallest month beside them.
    assert [period for period, cells in numbers.items() if cells == ("", "")][1:] == ["2024-01"]
    assert sum(int(count) for count, _ in numbers.values() if count) < 97
    assert all(prevalence for count, prevalence in numbers.values() if count not in ("", "0"))


def test_small_groups_are_not_named_beside_their_comments(tmp_path):
    study = Study(tmp_path, n=100)
    study.groups = ["lonely" if row in (0, 50) else group for row, group in enumerate(study.groups)]
    study.write()
    out = tmp_path / "r" / "tables"
    answer(*study.folders, out, n_examples=50)
    for path in out.rglob("*.csv"):
        assert "lonely" not in path.read_text(encoding="utf-8"), path.name


def test_folders_that_do_not_belong_together_are_refused(tmp_path):
    study = Study(tmp_path, n=30)
    write_model(study.model, study.components, study.shares[:-1], 2)
    with pytest.raises(DataError, match=r"29 comments, but .* has 30"):
        answer(*study.folders, tmp_path / "out")
    (study.model / folders.DOC_TOPIC).write_bytes(b"")
    with pytest.raises(DamagedFolder):
        answer(*study.folders, tmp_path / "out")


HOSTILE = [
    '=HYPERLINK("http://x")',
    "<script>alert(1)</script>",
    "{{ 7 * 7 }} ${x} %s",
    "\u202eleft | right\\",
    "😀 \"quotes\" 'and' \n lines\r\n and \x0b tabs\t",
    "\\input{/etc/passwd} $x^2$ & # % _",
]


def test_hostile_text_comes_back_as_it_was(tmp_path):
    words = ["=cmd", "<b>", "a|b", "\\input", "x y"]
    documents = [[words[0], words[1], words[4]] for _ in range(6)]
    shares = [[1.0, 0.0]] * 3 + [[0.0, 1.0]] * 3
    comments = write_comments(
        tmp_path / "c", HOSTILE, ids=[f"@{n}" for n in range(6)], groups=HOSTILE
    )
    matrix = write_matrix(tmp_path / "m", documents, words, ["=cmd"])
    model = write_model(tmp_path / "f", np.arange(1, 11).reshape(2, 5), shares, 1)
    out = tmp_path / "r" / "tables"
    answer(comments, matrix, model, out, least_count=1)
    found = {row["text"] for row in read_csv(out / folders.SEED_FREE)}
    assert found == set()
    examples = read_csv(out / folders.EXAMPLES)
    assert {row["text"] for row in examples} <= set(HOSTILE)
    assert len(examples) == 2  # the words are the same, so one of each topic is enough
    assert {row["group"] for row in read_csv(out / folders.GROUPS)} == set(HOSTILE)


def test_comments_without_a_group_are_a_group(tmp_path):
    study = Study(tmp_path, n=60)
    study.groups = [None] * 20 + ["a"] * 40
    study.write()
    out = tmp_path / "r" / "tables"
    answer(*study.folders, out)
    rows = [row for row in read_csv(out / folders.GROUPS) if row["topic"] == "1"]
    assert [(row["group"], row["documents"]) for row in rows] == [("a", "40"), ("(no group)", "20")]
    assert float(rows[1]["prevalence"]) == pytest.approx(study.shares[:20, 0].mean(), abs=1e-5)


# Parts.


def test_words_are_counted_across_blocks(monkeypatch):
    monkeypatch.setattr(material, "BLOCK", 3)
    matrix = (np.random.default_rng(0).random((11, 6)) < 0.4).astype(np.int32)
    words = words_of(matrix)
    chosen = np.arange(11) % 2 == 0
    assert words.documents(chosen).tolist() == matrix[chosen].sum(0).tolist()
    assert words.held([1, 4]).tolist() == matrix[:, [1, 4]].sum(1).tolist()
    assert words.held([]).tolist() == [0] * 11


def test_keyness_by_hand():
    # Words in 30 of our and 10 of their comments, and the reverse; 80 pairs, a prior of 8.
    ratio, score = keyness.log_odds([30, 10], [10, 30])
    ours, theirs = 30 + 4, 10 + 4
    expected = np.log(ours / (48 - ours)) - np.log(theirs / (48 - theirs))
    assert ratio == pytest.approx([expected, -expected])
    assert score[0] == pytest.approx(expected / np.sqrt(1 / ours + 1 / theirs))
    assert keyness.log_odds([0, 5], [0, 5])[1][0] == 0


def test_rare_words_are_less_sure_than_frequent_ones():
    inside, outside = np.array([4, 400, 5000]), np.array([1, 100, 50_000])
    _, score = keyness.log_odds(inside, outside)
    assert 0 < score[0] < score[1]


def test_examples_are_unlike_one_another_and_of_several_groups():
    rng = np.random.default_rng(0)
    matrix = np.zeros((60, 200), np.int32)
    for row in range(60):
        matrix[row, rng.choice(200, 8, replace=False)] = 1
    matrix[1] = matrix[0]
    matrix[2] = 0
    matrix[2, :3] = 1
    shares = np.zeros((60, 1), np.float32)
    shares[:, 0] = 0.9 - 0.01 * np.arange(60) / 60
    shares[2] = 1.0
    groups = np.zeros(60, int)
    groups[50:] = 1
    words = words_of(matrix)
    [(rows, values)] = examples.choose_examples(Shares(sp.csr_matrix(shares), 1), words, groups, 6)
    assert len(rows) == 6
    assert 0 in rows
    assert 1 not in rows  # the same words as comment 0
    assert 2 not in rows  # three words alone
    assert np.bincount(groups[rows]).tolist() == [4, 2]  # two of each, and then the best
    assert (np.diff(values) <= 0).all()


def test_short_comments_are_better_than_none():
    words = words_of(np.eye(3, dtype=np.int32))
    shares = Shares(sp.csr_matrix(np.array([[0.5], [0.9], [0.7]], np.float32)), 1)
    [(rows, _)] = examples.choose_examples(shares, words, None, 5)
    assert rows.tolist() == [1, 2, 0]
    [(rows, _)] = examples.choose_examples(shares, words, None, 0)
    assert rows.tolist() == []


def test_likeness_and_places(study):
    loaded = material.load(*study.folders)
    loaded.components[1] = loaded.components[0] * 3
    topics, _ = arrange(loaded, Naming({}), 2)
    phi = loaded.components / loaded.components.sum(1, keepdims=True)
    expected = np.sqrt(phi[:, None] * phi[None]).sum(2)
    assert topics.similarity == pytest.approx(expected, abs=1e-5)
    assert topics.nearest()[0][0] == 1
    places = topics.places()
    assert places[0] == pytest.approx(places[1], abs=1e-4)
    # Classical scaling keeps the distances between three groups of points in a plane.
    distances = np.linalg.norm(places[:, None] - places[None], axis=2)
    assert distances == pytest.approx(np.sqrt(2 - 2 * np.minimum(expected, 1)), abs=0.02)


def test_frex_prefers_what_a_topic_has_alone(study):
    loaded = material.load(*study.folders)
    loaded.components[:, 0] = 1000
    topics, _ = arrange(loaded, Naming({}), 2)
    assert topics.words(topics.heavy(2, 1)) == ["w1x00"]
    assert "w1x00" not in topics.words(topics.exclusive(2, 5))
