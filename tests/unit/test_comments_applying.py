"""New comments get the topics that the same text has in the fit."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import yaml
from comments_folder import write_comments_folder

from minority_topics.base.files import read_csv, write_lines
from minority_topics.base.manifest import DamagedFolder, check_manifest, write_manifest
from minority_topics.base.strict_yaml import read_yaml
from minority_topics.cli import main
from minority_topics.comments import applying, folders
from minority_topics.comments.answers import answer
from minority_topics.comments.applying import APPLIED, apply_model
from minority_topics.comments.documents import LEAST_WEIGHT
from minority_topics.comments.fitting import fit_comments, main_topics
from minority_topics.comments.limits import LimitError
from minority_topics.comments.matrix import vectorise_comments
from minority_topics.corpus.readers import DataError

WORDS = {
    "fear": ["panic", "afraid", "anxiety", "breath", "heart", "night"],
    "game": ["player", "team", "goal", "league", "match", "coach"],
    "food": ["bread", "soup", "salt", "oven", "butter", "cake"],
}


def texts_of(n_comments, seed=0):
    """Comments of seven words of one theme, with marks, handles and capitals between them."""
    rng = np.random.default_rng(seed)
    texts = []
    for theme in rng.choice(list(WORDS), n_comments):
        words = rng.choice(WORDS[theme], 7)
        texts.append(f"{words[0].upper()}, {' '.join(words[1:])}! @somebody{theme}")
    texts[3] = "12 34 !!"
    return texts


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folders of comments, matrix and model of 200 comments."""
    root = tmp_path_factory.mktemp("applying")
    write_comments_folder(root / "comments", texts_of(200))
    write_lines(root / "seeds.txt", ["panic", "anxiety", "afraid", "panic night"])
    vectorise_comments(
        root / "comments", root / "seeds.txt", root / "matrix", language="en", lemmas="none",
        min_df=1, max_df=1.0,
    )  # fmt: skip
    fit_comments(root / "matrix", root / "model", n_topics=3, n_minority=1, theta_min=0.3)
    return root


def read_documents(folder):
    return pq.read_table(folder / folders.DOCUMENTS).to_pylist()


def test_the_comments_of_the_fit_get_their_topics_again(made, tmp_path):
    facts = apply_model(made / "model", made / "comments", tmp_path)
    check_manifest(tmp_path)
    rows = read_documents(tmp_path)
    doc_topic = sp.load_npz(made / "model" / folders.DOC_TOPIC)
    main = main_topics(doc_topic)
    assert [row["row"] for row in rows] == list(range(200))
    assert [row["id"] for row in rows] == [str(number + 1) for number in range(200)]
    assert [(row["main_topic"] or 0) - 1 for row in rows] == main.tolist()
    dense = doc_topic.toarray()
    for row, expected in zip(rows, dense, strict=True):
        assert row["topics"] == (np.flatnonzero(expected >= LEAST_WEIGHT) + 1).tolist()
        np.testing.assert_allclose(
            row["weights"], expected[np.array(row["topics"], int) - 1], atol=1e-3
        )
    assert facts["documents"] == 200
    assert facts["documents_with_words"] == 199
    sizes = [int(row["documents"]) for row in read_csv(tmp_path / folders.TOPICS)]
    assert sizes == np.bincount(main[main >= 0], minlength=3).tolist()
    assert facts["documents_of_minority_topics"] == sizes[0]
    assert json.loads((tmp_path / APPLIED).read_text(encoding="utf-8")) == facts


def test_the_themes_are_told_apart(made, tmp_path):
    """Comments that the model has not seen: those of fear, and no others, are of topic 1."""
    texts = [" ".join(words) for words in WORDS.values()]
    write_comments_folder(tmp_path / "new", [*texts, "nobody knows these"])
    apply_model(made / "model", tmp_path / "new", tmp_path / "out")
    rows = read_documents(tmp_path / "out")
    assert rows[0]["main_topic"] == 1
    assert {rows[1]["main_topic"], rows[2]["main_topic"]} == {2, 3}
    last = {
        "row": 3,
        "id": "4",
        "has_words": False,
        "main_topic": None,
        "topics": [],
        "weights": [],
    }
    assert rows[3] == last


def test_batches_do_not_matter_nor_do_texts(made, tmp_path, monkeypatch):
    apply_model(made / "model", made / "comments", tmp_path / "whole")
    folder = write_comments_folder(tmp_path / "comments", texts_of(200))
    table = pq.read_table(folder / folders.COMMENTS).drop_columns(["text"])
    pq.write_table(table, folder / folders.COMMENTS)
    write_manifest(folder)
    monkeypatch.setattr(applying, "BATCH", 7)
    apply_model(made / "model", folder, tmp_path / "parts")
    assert read_documents(tmp_path / "parts") == read_documents(tmp_path / "whole")


def edit_names(path, edits):
    content = read_yaml(path)
    for number, edit in edits.items():
        content["topics"][number] |= edit
    path.write_text(yaml.safe_dump(content), encoding="utf-8")


def test_names_merges_and_drops_are_those_of_the_tables(made, tmp_path):
    """Applied to the comments of the fit, the edited model gives the rows of its own tables."""
    fit_comments(made / "matrix", tmp_path / "model", n_topics=6, n_minority=2, theta_min=0.3)
    folders_of_fit = made / "comments", made / "matrix", tmp_path / "model"
    names = tmp_path / folders.NAMES
    answer(*folders_of_fit, tmp_path / "plain", topics_file=names)
    edit_names(names, {1: {"name": "Panic"}, 4: {"merge": 3}, 5: {"drop": True}})
    answer(*folders_of_fit, tmp_path / "tables", topics_file=names)
    facts = apply_model(tmp_path / "model", made / "comments", tmp_path / "out", topics_file=names)
    expected, found = read_documents(tmp_path / "tables"), read_documents(tmp_path / "out")
    assert [row["main_topic"] for row in found] == [row["main_topic"] for row in expected]
    assert [row["topics"] for row in found] == [row["topics"] for row in expected]
    assert {row["main_topic"] for row in found} == {None, 1, 2, 3, 6}
    # Without the edits topics 4 and 5 are main topics too.
    assert {4, 5} <= {row["main_topic"] for row in read_documents(tmp_path / "plain")}
    columns = ("topic", "kind", "name", "documents")
    tables = [
        [[row[name] for name in columns] for row in read_csv(tmp_path / folder / folders.TOPICS)]
        for folder in ("tables", "out")
    ]
    assert tables[0] == tables[1]
    assert tables[1][0][:3] == ["1", "minority", "Panic"]
    assert facts["topics_file"]["applied"] == [1, 4, 5]


def test_the_command_takes_the_names_beside_the_model_and_writes_none(made, tmp_path):
    model = copy_of(made / "model", tmp_path / "model")
    write_lines(tmp_path / "new.csv", ["id,text", "1,panic panic afraid", "2,bread soup"])
    arguments = ["apply", str(tmp_path / "new.csv"), "--model", str(model), "--out"]
    main([*arguments, str(tmp_path / "plain")])
    assert not (tmp_path / folders.NAMES).exists()
    assert read_documents(tmp_path / "plain")[0]["main_topic"] == 1
    answer(made / "comments", made / "matrix", model, tmp_path / "tables",
           topics_file=tmp_path / folders.NAMES)  # fmt: skip
    edit_names(tmp_path / folders.NAMES, {1: {"merge": 2}})
    main([*arguments, str(tmp_path / "merged")])
    assert read_documents(tmp_path / "merged")[0]["main_topic"] == 2
    with pytest.raises(SystemExit, match=r"nowhere\.yaml: no such file"):
        main([*arguments, str(tmp_path / "o"), "--topics", str(tmp_path / "nowhere.yaml")])


@pytest.mark.parametrize("keep_texts", [True, False])
def test_words_in_their_order_stay_with_the_texts_alone(made, tmp_path, keep_texts):
    write_lines(tmp_path / "new.csv", ["id,text", "1,panic panic afraid", "2,bread soup"])
    main(["apply", str(tmp_path / "new.csv"), "--model", str(made / "model"), "--out",
          str(tmp_path / "out"), "--settings", json.dumps({"keep_texts": keep_texts})])  # fmt: skip
    assert read_documents(tmp_path / "out")[0]["main_topic"] == 1
    assert any((tmp_path / "out").rglob(folders.FORM_NUMBERS)) == keep_texts


def test_only_merged_topics_need_the_shares_of_the_fit(made, tmp_path):
    model = copy_of(made / "model", tmp_path / "model")
    (model / folders.DOC_TOPIC).unlink()
    apply_model(model, made / "comments", tmp_path / "out")
    apply_model(made / "model", made / "comments", tmp_path / "whole")
    assert read_documents(tmp_path / "out") == read_documents(tmp_path / "whole")


def copy_of(folder, to):
    to.mkdir()
    for path in folder.iterdir():
        (to / path.name).write_bytes(path.read_bytes())
    return to


@pytest.mark.parametrize("name", [folders.MODEL, folders.ARRAYS, folders.VOCABULARY, folders.IDF])
def test_a_damaged_model_is_refused(made, tmp_path, name):
    model = copy_of(made / "model", tmp_path / "model")
    (model / name).write_bytes((model / name).read_bytes()[:-1])
    with pytest.raises(DamagedFolder, match=f"{name} is damaged"):
        apply_model(model, made / "comments", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_model_of_a_later_format_is_refused(made, tmp_path):
    model = copy_of(made / "model", tmp_path / "model")
    facts = json.loads((model / folders.MODEL).read_text(encoding="utf-8"))
    (model / folders.MODEL).write_text(
        json.dumps(facts | {"format": facts["format"] + 1}), encoding="utf-8"
    )
    write_manifest(model)
    with pytest.raises(ValueError, match=r"a later version of this library.*update the library"):
        apply_model(model, made / "comments", tmp_path / "out")


def test_a_vocabulary_of_another_model_is_refused(made, tmp_path):
    model = copy_of(made / "model", tmp_path / "model")
    words = (model / folders.VOCABULARY).read_text(encoding="utf-8") + "another\n"
    (model / folders.VOCABULARY).write_text(words, encoding="utf-8")
    write_manifest(model)
    with pytest.raises(DataError, match=r"its vocabulary has .* words and its topics have"):
        apply_model(model, made / "comments", tmp_path / "out")


def test_comments_that_are_damaged_or_do_not_fit_together_are_refused(made, tmp_path):
    comments = copy_of(made / "comments", tmp_path / "comments")
    np.save(comments / folders.OFFSETS, np.arange(5))
    with pytest.raises(DamagedFolder, match=r"offsets\.npy is damaged"):
        apply_model(made / "model", comments, tmp_path / "out")
    write_manifest(comments)
    with pytest.raises(DataError, match="its rows are not those of comments"):
        apply_model(made / "model", comments, tmp_path / "out")


def test_too_little_memory_is_refused(made, tmp_path):
    with pytest.raises(LimitError, match=r"a model of .* words and 3 topics needs about"):
        apply_model(made / "model", made / "comments", tmp_path / "out", memory_mb=1)


def test_the_command_tells_how_many_comments_the_model_knows(made, tmp_path, capsys):
    lines = ["id,text", "1,panic panic", "2,bread soup", "3,ihan muita sanoja"]
    write_lines(tmp_path / "new.csv", lines)
    main(
        [
            "apply",
            str(tmp_path / "new.csv"),
            "--model",
            str(made / "model"),
            "--out",
            f"{tmp_path}/o",
        ]
    )
    assert "2 of 3 comments hold words of the model; a minority topic is the main one of 1." in (
        capsys.readouterr().out
    )
