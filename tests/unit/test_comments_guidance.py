"""Learnt guidance of own comments: wrong words, missing words, and comments to read."""

import json
from inspect import signature

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
from answers_folder import write_comments, write_matrix, write_model
from comments_folder import write_comments_folder

from minority_topics.base.files import read_csv, read_lines, write_json, write_lines
from minority_topics.base.manifest import write_manifest
from minority_topics.cli import build_parser
from minority_topics.comments import folders, guidance
from minority_topics.comments.answers import answer
from minority_topics.comments.answers.guidance import N_COMMENTS, speaking_words
from minority_topics.comments.applying import apply_model
from minority_topics.comments.choosing import choose
from minority_topics.comments.fitting import fit_comments
from minority_topics.comments.guidance import (
    Opinion,
    follows,
    recommendation,
    sentences,
    signs_of_noise,
)
from minority_topics.comments.matrix import vectorise_comments
from minority_topics.comments.summaries import of_fit
from minority_topics.nmf.guidance import Learnt, odds
from minority_topics.nmf.model import ConstrainedNMF
from minority_topics.study.config import comments_defaults

FEAR = ["panic", "afraid", "anxiety", "dread", "tremble", "terror", "phobia", "worry"]
RIGHT = ["panic", "afraid", "dread", "tremble"]
WRONG = "match"
# Of the domain and frequent in it, but not on the list.
MISSING = "anxiety"
N = 1500
FIT = {"n_topics": 4, "n_minority": 1, "theta_min": 0.3, "max_iter": 60}


def texts_of(n=N, seed=0):
    """Comments of eight words of everyday; one in 15 has three words of fear in it."""
    rng = np.random.default_rng(seed)
    everyday = [WRONG, *(f"everyday{chr(97 + i)}{chr(97 + j)}" for i in range(8) for j in range(8))]
    frequency = 1 / np.arange(4.0, 4 + len(everyday))
    texts, is_fear = [], rng.random(n) < 1 / 15
    for fear in is_fear:
        words = rng.choice(everyday, 8, replace=False, p=frequency / frequency.sum())
        texts.append(" ".join([*words, *(rng.choice(FEAR, 3, replace=False) if fear else [])]))
    return texts, is_fear


def fitted(root, seeds, name, **settings):
    write_lines(root / f"{name}.txt", seeds)
    vectorise_comments(
        root / "comments", root / f"{name}.txt", root / f"{name}_matrix", language="en",
        lemmas="none", min_df=1, max_df=1.0,
    )  # fmt: skip
    facts = fit_comments(root / f"{name}_matrix", root / f"{name}_model", **FIT | settings)
    out = root / f"{name}_tables"
    answer(root / "comments", root / f"{name}_matrix", root / f"{name}_model", out)
    return facts


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("guidance")
    write_comments_folder(root / "comments", texts_of()[0])
    return root


@pytest.fixture(scope="module")
def by_list(root):
    return fitted(root, [*RIGHT, WRONG], "list", guidance="list")


@pytest.fixture(scope="module")
def by_learning(root):
    """The default."""
    return fitted(root, [*RIGHT, WRONG], "learnt")


def rows_of(root, name, table):
    return read_csv(root / f"{name}_tables" / table)


def test_guidance_is_learnt_where_nothing_is_said(by_learning):
    assert by_learning["guidance"] == "learnt"
    assert comments_defaults(["guidance"]) == {"guidance": "learnt"}
    arguments = ["choose", "--matrix", "matrix", "--out", "out"]
    assert build_parser().parse_args(arguments).guidance == "learnt"
    assert signature(choose).parameters["guidance"].default == "learnt"
    assert ConstrainedNMF().guidance == "list"  # the published constraint


# What a fit tells.


def test_a_common_wrong_word_is_distrusted_and_learnt_guidance_recommended(by_list):
    found = by_list["learnt_guidance"]
    texts, is_fear = texts_of()
    holds = np.array([bool({*RIGHT, WRONG} & set(text.split())) for text in texts])
    assert by_list["guidance"] == "list"
    assert (found["seed_words"], found["distrusted"]) == (5, 1)
    assert found["documents_with_seed"] == holds.sum()
    # 1 of 5 words, and most comments with one are of everyday.
    assert found["capped"] > 0.9 * (holds & ~is_fear).sum()
    (sentence,) = recommendation(by_list)
    assert sentence in by_list["warnings"]
    assert "more than 10% of the seed words" in sentence
    assert "more than 25% of the comments" in sentence
    printed = of_fit(by_list)
    assert sentence in printed
    assert f"would cap {found['capped']:,} of {holds.sum()} comments" in " ".join(printed)


def test_a_fit_that_follows_frees_and_caps_by_what_was_learnt(root, by_list, by_learning):
    assert by_learning["learnt_guidance"] == by_list["learnt_guidance"]
    assert recommendation(by_learning) == []
    opinion = Opinion.load(root / "learnt_model" / folders.GUIDANCE)
    is_fear = texts_of()[1]
    assert opinion.probability.dtype == np.float32
    assert opinion.probability.shape == opinion.free.shape == (N,)
    assert (opinion.free == is_fear).mean() > 0.99
    shares = sp.load_npz(root / "learnt_model" / folders.DOC_TOPIC).toarray()
    assert (shares[~opinion.free, 0] == 0).all()
    assert (shares[is_fear, 0] > 0).mean() > 0.95
    by_law = sp.load_npz(root / "list_model" / folders.DOC_TOPIC).toarray()
    assert (by_law[~is_fear, 0] > 0.1).sum() > 50  # which the wrong word let in
    assert "it caps" in " ".join(sentences(by_learning))


def test_a_whole_and_right_list_is_not_called_noisy(root):
    facts = fitted(root, FEAR, "right", guidance="list")
    found = facts["learnt_guidance"]
    assert (found["distrusted"], found["released"]) == (0, 0)
    assert recommendation(facts) == []
    assert not any("noisy" in warning for warning in facts["warnings"])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("list", "Learnt guidance has no opinion of the list: every document holds a seed word."),
        (
            "learnt",
            "Learnt guidance falls back to the list of seed words: every document holds a seed "
            "word.",
        ),
    ],
)
def test_what_cannot_be_learnt_is_told_and_leaves_empty_tables(tmp_path, asked, said):
    """Every comment holds a seed word; the file of an earlier fit is not read."""
    write_comments_folder(tmp_path / "comments", [f"panic everyday{c}" for c in "abcdef"] * 10)
    (tmp_path / "all_model").mkdir()
    (tmp_path / "all_model" / folders.GUIDANCE).write_bytes(b"of an earlier fit")
    facts = fitted(tmp_path, ["panic"], "all", guidance=asked)
    assert facts["learnt_guidance"] == {"reason": "every document holds a seed word"}
    assert sum(line.count("every document holds a seed word") for line in of_fit(facts)) == 1
    assert said in of_fit(facts)
    assert not follows(facts)
    model = ConstrainedNMF.load(tmp_path / "all_model")
    words = read_lines(tmp_path / "all_model" / folders.VOCABULARY)
    assert [words[column] for column in model.seed_columns_] == ["panic"]
    for table in (folders.DISCOVERED_WORDS, folders.RELEASED, folders.CAPPED):
        assert rows_of(tmp_path, "all", table) == []
    (row,) = rows_of(tmp_path, "all", folders.SEED_WORDS)
    assert (row["probability"], row["trusted"], row["warning"][:9]) == ("", "", "It occurs")


def test_without_minority_topics_nothing_is_learnt(root, tmp_path, by_list):
    facts = fit_comments(root / "list_matrix", tmp_path / "model", **FIT | {"n_minority": 0})
    assert facts["learnt_guidance"] is None
    assert sentences(facts) == recommendation(facts) == []
    assert not (tmp_path / "model" / folders.GUIDANCE).exists()


def test_guidance_that_has_not_settled_does_not_make_the_fit_unfinished(
    root, tmp_path, by_learning, monkeypatch
):
    monkeypatch.setattr("minority_topics.nmf.guidance.MAX_ROUNDS", 1)
    facts = fit_comments(
        root / "learnt_matrix", tmp_path / "learnt", **FIT | {"guidance": "learnt", "max_iter": 200}
    )
    assert facts["learnt_guidance"]["converged"] is False
    assert facts["converged"] is True
    assert any("has not settled in 1 rounds" in warning for warning in facts["warnings"])
    facts = fit_comments(root / "learnt_matrix", tmp_path / "list", **FIT, guidance="list")
    assert "Learnt guidance has not settled in 1 rounds." in of_fit(facts)


@pytest.mark.parametrize(
    ("distrusted", "capped", "released", "n_signs"),
    [(2, 25, 25, 0), (3, 25, 25, 1), (2, 26, 25, 1), (2, 25, 26, 1), (3, 26, 26, 3)],
)
def test_a_list_is_noisy_above_a_tenth_of_words_or_a_quarter_of_comments(
    distrusted, capped, released, n_signs
):
    found = {
        "reason": None, "seed_words": 20, "distrusted": distrusted, "documents_with_seed": 100,
        "capped": capped, "released": released,
    }  # fmt: skip
    assert len(signs_of_noise(found)) == n_signs
    recommended = recommendation({"guidance": "list", "learnt_guidance": found})
    assert len(recommended) == (n_signs > 0)
    assert recommendation({"guidance": "learnt", "learnt_guidance": found}) == []
    limits = guidance.MOST_DISTRUSTED, guidance.MOST_CAPPED, guidance.MOST_FREED
    assert limits == (0.1, 0.25, 0.25)


def test_a_list_with_many_missing_words_is_called_noisy(root):
    """Two of the eight words of fear: of 56 choices of three of them, 20 have neither."""
    facts = fitted(root, FEAR[:2], "short", guidance="list")
    texts, is_fear = texts_of()
    holds = np.array([bool(set(FEAR[:2]) & set(text.split())) for text in texts])
    assert facts["learnt_guidance"]["released"] == pytest.approx((is_fear & ~holds).sum(), abs=5)
    assert (is_fear & ~holds).sum() > 0.3 * holds.sum()
    (sentence,) = recommendation(facts)
    assert "comments without one that would be freed are more than 25% of those" in sentence
    assert "distrusted" not in sentence
    assert sentence in of_fit(facts)


# What the tables tell.


def test_the_seed_table_tells_what_each_entry_is_worth(root, by_list):
    rows = {row["entry"]: row for row in rows_of(root, "list", folders.SEED_WORDS)}
    assert {entry for entry, row in rows.items() if row["trusted"] == "no"} == {WRONG}
    assert float(rows[WRONG]["probability"]) < 0.2
    assert "Learnt guidance distrusts it: most comments" in rows[WRONG]["warning"]
    assert min(float(rows[word]["probability"]) for word in RIGHT) > 0.6
    assert not any("distrusts" in rows[word]["warning"] for word in RIGHT)
    before = read_csv(root / "list_matrix" / folders.SEED_WORDS)
    for old in before:  # what was there stays
        kept = {key: rows[old["entry"]][key] for key in old if key != "warning"}
        assert kept.items() <= old.items()


def test_a_missing_word_is_discovered(root, by_list):
    rows = {row["word"]: row for row in rows_of(root, "list", folders.DISCOVERED_WORDS)}
    assert set(rows) == set(FEAR) - set(RIGHT)
    held = [text.split() for text in texts_of()[0]]
    documents = sum(MISSING in words for words in held)
    assert int(rows[MISSING]["documents"]) == documents
    assert float(rows[MISSING]["probability"]) > 0.5
    first, count = rows[MISSING]["occurs_with"].split(", ")[0].rstrip(")").split(" (")
    together = {word: sum({MISSING, word} <= set(words) for words in held) for word in RIGHT}
    assert together[first] == int(count) == max(together.values())


def test_released_comments_come_with_the_words_that_spoke_for_them(root, by_list):
    texts, is_fear = texts_of()
    rows = rows_of(root, "list", folders.RELEASED)
    listed = {*RIGHT, WRONG}
    without = [i for i, text in enumerate(texts) if is_fear[i] and not listed & set(text.split())]
    assert len(without) >= 2
    assert {int(row["row"]) for row in rows} == set(without)
    for row in rows:
        assert row["text"] == texts[int(row["row"])]
        spoke = row["words"].split(", ")
        assert set(spoke) & set(FEAR) == set(row["text"].split()) & set(FEAR)
        assert spoke[0] in FEAR
    probabilities = [float(row["probability"]) for row in rows]
    assert probabilities == sorted(probabilities, reverse=True)


def test_capped_comments_are_a_sample_with_their_seed_words(root, by_list):
    rows = rows_of(root, "list", folders.CAPPED)
    assert len(rows) == N_COMMENTS < by_list["learnt_guidance"]["capped"]
    listed = {*RIGHT, WRONG}
    for row in rows:
        assert set(row["words"].split(", ")) == listed & set(row["text"].split())
        assert float(row["probability"]) < 0.8
    assert sum(row["words"] == WRONG for row in rows) > 90


def test_seed_share_counts_the_words_that_the_fit_counted(root, by_learning):
    model = ConstrainedNMF.load(root / "learnt_model")
    H = model.components_[0]
    topic = rows_of(root, "learnt", folders.TOPICS)[0]
    share = H[model.seed_columns_].sum() / H.sum()
    assert float(topic["seed_share"]) == pytest.approx(share, rel=1e-4)
    words = (root / "learnt_model" / folders.VOCABULARY).read_text().split("\n")
    assert {words[column] for column in model.seed_columns_} == set(RIGHT)


# By hand.


def opinion_of(vocabulary, listed, s, probability, free):
    """Words not named have s = 0.02 = rbar: they say nothing."""
    word_probability = np.array([s.get(word, 0.02) for word in vocabulary], np.float32)
    columns = np.array(sorted(vocabulary.index(word) for word in listed))
    prior = np.array([0.94, 0.02, 0.02, 0.02])
    learnt = Learnt(columns, word_probability, prior, 0.02, 5, True)
    return Opinion(learnt, np.array(probability, np.float32), np.array(free))


@pytest.fixture
def study(tmp_path):
    """Seven comments, and an opinion of them; entries are two words and a wildcard."""
    vocabulary = ["afraid", "apple", "night", "panic", "panicky", "pear", "rare"]
    documents = [
        ["panic", "night"], ["panic", "night", "apple"], ["panicky", "pear"],
        ["night", "apple", "pear"], ["apple", "night", "pear"], ["night", "rare"],
        ["afraid", "night"],
    ]  # fmt: skip
    s = {"afraid": 0.7, "panic": 0.8, "panicky": 0.1, "night": 0.6, "rare": 0.9}
    probability = [0.99, 0.97, 0.1, 0.9, 0.9, 0.95, 0.98]
    free = [True, True, False, True, True, True, True]
    listed = ["afraid", "panic", "panicky"]
    write_comments(tmp_path / "comments", [" ".join(words) for words in documents])
    write_matrix(tmp_path / "matrix", documents, vocabulary, listed)
    rows = ["entry,kind,words,warning", "afraid,word,afraid,", 'panic*,wildcard,"panic, panicky",',
            "absent,word,,It does not occur."]  # fmt: skip
    write_lines(tmp_path / "matrix" / folders.SEED_WORDS, rows)
    write_manifest(tmp_path / "matrix")
    model = write_model(tmp_path / "model", np.ones((2, 7)), np.tile([0.2, 0.8], (7, 1)), 1)
    opinion_of(vocabulary, listed, s, probability, free).save(model / folders.GUIDANCE)
    fit = json.loads((model / folders.FIT).read_text())
    write_json(model / folders.FIT, fit | {"learnt_guidance": {"reason": None}})
    write_manifest(model)
    return tmp_path


def answered(study, **settings):
    out = study / "tables"
    answer(*(study / name for name in ("comments", "matrix", "model")), out,
           **{"least_count": 1} | settings)  # fmt: skip
    tables = (folders.SEED_WORDS, folders.DISCOVERED_WORDS, folders.RELEASED, folders.CAPPED)
    return [read_csv(out / name) for name in tables]


def test_tables_by_hand(study):
    seeds, discovered, released, capped = answered(study)
    # panic is in two comments, panicky in one: (2 * 0.8 + 0.1) / 3.
    assert [row["probability"] for row in seeds] == ["0.7", "0.566667", ""]
    assert [row["trusted"] for row in seeds] == ["yes", "partly", ""]
    assert [row["distrusted_words"] for row in seeds] == ["", "panicky", ""]
    assert seeds[1]["warning"].startswith("Learnt guidance distrusts panicky: most")
    assert seeds[2]["warning"] == "It does not occur."
    assert [list(row.values()) for row in discovered] == [
        ["rare", "0.9", "1", ""],
        ["night", "0.6", "6", "panic (2), afraid (1)"],
    ]
    # Rows 3 and 4 have the same words: one of them is shown. Words that say nothing do not speak.
    assert [(row["row"], row["words"]) for row in released] == [
        ("5", "rare, night"), ("3", "night"),
    ]  # fmt: skip
    assert [row["main_topic"] for row in released] == ["2", "2"]
    assert [(row["row"], row["words"], row["text"]) for row in capped] == [
        ("2", "panicky", "panicky pear")
    ]


def test_words_of_few_comments_are_left_out_and_so_are_texts(study):
    _, discovered, released, capped = answered(study, least_count=2, keep_texts=False)
    assert [row["word"] for row in discovered] == ["night"]
    assert [row["text"] for row in released + capped] == ["", "", ""]


def test_words_that_spoke_are_those_with_the_largest_odds():
    vocabulary = list("abcdefgh")
    s = dict(zip(vocabulary, [0.5, 0.9, 0.02, 0.05, 0.3, 0.4, 0.6, 0.7], strict=True))
    learnt = opinion_of(vocabulary, ["b"], s, [0.9], [True]).guidance
    # The five loudest, whatever their order in the comment.
    assert speaking_words(learnt, np.arange(8)).tolist() == [1, 7, 6, 0, 5]
    # Even at a share of 0.4 the word d has odds of 0.4*0.05/0.02 + 0.6*0.95/0.98 < 2.
    assert odds(0.4, 0.05, 0.02) == pytest.approx(1 + 0.57 / 0.98)
    assert speaking_words(learnt, np.array([2, 3, 0])).tolist() == [0]
    # The loudest word is told in any case.
    assert speaking_words(learnt, np.array([2, 3])).tolist() == [3]


# New comments.


def test_new_comments_are_freed_and_capped_by_the_guidance_of_the_model(
    root, by_learning, by_list, tmp_path
):
    """A wrong word does not make a comment one of the theme, and missing words do."""
    texts, is_fear = texts_of()
    by_law = sp.load_npz(root / "list_model" / folders.DOC_TOPIC)[:, [0]].toarray().ravel()
    misled = int(np.argmax(np.where(is_fear, 0, by_law)))
    new = [texts[misled], f"{MISSING} worry everydayaa"]
    write_comments_folder(tmp_path / "comments", new)
    main = {}
    for name in ("learnt", "list"):
        apply_model(root / f"{name}_model", tmp_path / "comments", tmp_path / name)
        rows = pq.read_table(tmp_path / name / folders.DOCUMENTS).to_pylist()
        main[name] = [1 in row["topics"] for row in rows]
    assert main == {"learnt": [False, True], "list": [True, False]}


def test_word_vectors_of_a_file_are_evidence(root):
    """Two of fear's words are alike, and no other word has a vector: that is told, and counts."""
    alike = [*RIGHT, MISSING, "terror"]
    path = root / "own.vec"
    path.write_text("\n".join(f"{word} 1 0.{n}" for n, word in enumerate(alike)), encoding="utf-8")
    facts = fitted(root, RIGHT, "vectors", guidance="learnt", word_vectors=path)
    words = len(read_lines(root / "vectors_matrix" / folders.VOCABULARY))
    assert f"has vectors for {len(alike)} of {words} words" in " ".join(facts["warnings"])
    model = ConstrainedNMF.load(root / "vectors_model")
    assert model.word_vectors is None  # a model is told by what they taught it
    column = read_lines(root / "vectors_matrix" / folders.VOCABULARY).index(MISSING)
    assert column in model.discovered_words_
