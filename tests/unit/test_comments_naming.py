"""topics.yaml: a template, edits that are applied, and entries that follow their topic or stay."""

import json

import numpy as np
import pytest

from minority_topics.base.strict_yaml import read_yaml
from minority_topics.comments.answers.naming import (
    Entry,
    model_digest,
    read_naming,
    sentences,
    template,
)
from minority_topics.corpus.readers import DataError

WORDS = [[f"t{k}w{i}" for i in range(10)] for k in range(4)]


def edited(path, edits, model="one", words=WORDS):
    entries = {k: Entry(tuple(top), **edits.get(k, {})) for k, top in enumerate(words, start=1)}
    path.write_text(template(model, entries), encoding="utf-8")
    return path


def test_a_template_is_written_once_and_says_nothing_yet(tmp_path):
    path = tmp_path / "new" / "topics.yaml"
    naming = read_naming(path, "one", WORDS, renew=True)
    assert naming.entries == {}
    assert naming.record["written"]
    assert list(sentences(naming.record)) == [
        "topics.yaml was written: name, merge or drop topics there, and run again."
    ]
    before = path.read_text(encoding="utf-8")
    again = read_naming(path, "one", WORDS, renew=True)
    assert not again.record["written"]
    assert not any(entry.is_edited for entry in again.entries.values())
    assert path.read_text(encoding="utf-8") == before


def test_a_file_that_nobody_edited_is_written_anew_after_a_new_fit(tmp_path):
    path = tmp_path / "topics.yaml"
    read_naming(path, "one", WORDS, renew=True)
    assert not read_naming(path, "two", WORDS[:2]).record["written"]
    naming = read_naming(path, "two", WORDS[:2], renew=True)
    assert naming.entries == {}
    assert [*sentences(naming.record)] == [
        "topics.yaml was written: name, merge or drop topics there, and run again."
    ]
    content = read_yaml(path)
    assert (content["model"], [*content["topics"]]) == ("two", [1, 2])
    edited(path, {2: {"drop": True}}, model="two")
    before = path.read_bytes()
    naming = read_naming(path, "three", WORDS, renew=True)
    assert path.read_bytes() == before
    assert naming.entries[2].drop
    said = [*sentences(naming.record)]
    assert said[-1].startswith("topics.yaml lists the topics of an earlier fit and stays")


@pytest.mark.parametrize(
    "words",
    [["no", "null", "1e5", "2024-01-01", "~"], ["a: b", "- c", "#d", "'e", '"', "[f", "g, h", "ä"]],
)
def test_words_that_yaml_would_take_for_something_else_stay_words(tmp_path, words):
    path = tmp_path / "topics.yaml"
    read_naming(path, "0123456789012345", [words], renew=True)
    content = read_yaml(path)
    assert content["topics"][1]["words"] == words
    assert read_naming(path, "0123456789012345", [words]).entries[1].words == tuple(words)


def test_edits_are_read(tmp_path):
    path = edited(
        tmp_path / "t.yaml", {1: {"name": "Fear: all"}, 3: {"merge": 1}, 4: {"drop": True}}
    )
    naming = read_naming(path, "one", WORDS)
    assert naming.entries[1].name == "Fear: all"
    assert naming.entries[3].merge == 1
    assert naming.entries[4].drop
    assert naming.record["applied"] == [1, 3, 4]


def test_after_a_new_fit_entries_follow_their_words(tmp_path):
    edits = {1: {"name": "Fear"}, 2: {"merge": 1}, 3: {"drop": True}, 4: {"name": "Work"}}
    path = edited(tmp_path / "t.yaml", edits)
    before = path.read_bytes()
    # Topic 1 is now 3 with six of ten words, 2 is 4, 3 is 2, and nothing is like topic 4.
    new = [["x"] * 10, WORDS[2], [*WORDS[0][:6], "a", "b", "c", "d"], WORDS[1]]
    naming = read_naming(path, "two", new)
    assert {k: (e.name, e.merge, e.drop) for k, e in naming.entries.items()} == {
        3: ("Fear", None, False),
        4: (None, 3, False),
        2: (None, None, True),
    }
    assert [(c["topic"], c["now"], c["likeness"]) for c in naming.record["carried"]] == [
        (1, 3, 0.6),
        (2, 4, 1.0),
        (3, 2, 1.0),
    ]
    assert [lost["topic"] for lost in naming.record["not_carried"]] == [4]
    assert not naming.record["same_model"]
    assert json.loads(json.dumps(naming.record)) == naming.record
    assert "topic 4 (Work) was not carried over" in " ".join(sentences(naming.record))
    assert path.read_bytes() == before


def test_a_merge_into_a_topic_that_is_gone_is_told_and_not_applied(tmp_path):
    path = edited(tmp_path / "t.yaml", {2: {"merge": 1, "name": "Kept"}})
    naming = read_naming(path, "two", [["x"] * 10, *WORDS[1:]])
    assert naming.entries[2] == Entry(tuple(WORDS[1]), "Kept", None, False)
    assert "topic 1, into which it was merged" in naming.record["not_carried"][0]["reason"]


def test_two_entries_never_land_on_one_topic(tmp_path):
    half = WORDS[0][:5] + WORDS[1][:5]
    path = edited(tmp_path / "t.yaml", {1: {"name": "A"}, 2: {"name": "B"}})
    naming = read_naming(path, "two", [half])
    names = [entry.name for entry in naming.entries.values() if entry.name]
    assert len(names) == 1
    assert len(naming.record["not_carried"]) == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model: [", "line 1, column"),
        ("- a", "must hold the keys model and topics"),
        ("model: one\ntopics: 3", "topics must hold entries by number"),
        ("model: one\ntopics: {a: {words: [b]}}", "a key of topics is 'a'"),
        ("model: one\ntopics: {1: {words: [b], nmae: c}}", "the key 'nmae'"),
        ("model: one\ntopics: {1: {name: c}}", "topic 1 has no list of words"),
        ("model: one\ntopics: {1: {words: [b], drop: 1}}", "drop is 1; write true or false"),
        ("model: one\ntopics: {1: {words: [b], merge: x}}", "merge of topic 1 is 'x'"),
        ("model: one\ntopics: {1: {words: [b], merge: 2, drop: true}}", "both merged and dropped"),
        ("model: one\ntopics: {1: {words: [b], name: 3}}", "name has 3; write one line"),
        ('model: one\ntopics: {1: {words: [b], name: "a\\nb"}}', "name has '\\n'"),
        ("model: one\ntopics: {1: {words: [b]}, 1: {words: [c]}}", "appears twice"),
    ],
)
def test_a_malformed_file_is_refused_in_one_sentence(tmp_path, text, message):
    path = tmp_path / "topics.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        read_naming(path, "one", [["b"]])
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({1: {"merge": 1}}, "is the topic itself"),
        ({1: {"merge": 9}}, "is not in the file"),
        ({1: {"merge": 2}, 2: {"drop": True}}, "which is dropped"),
        ({1: {"merge": 2}, 2: {"merge": 3}}, "which is merged itself"),
        ({k: {"drop": True} for k in range(1, 5)}, "all topics are dropped"),
    ],
)
def test_edits_that_contradict_one_another_are_refused(tmp_path, edits, message):
    with pytest.raises(DataError, match=message):
        read_naming(edited(tmp_path / "t.yaml", edits), "one", WORDS)


def test_entries_put_under_another_number_are_refused(tmp_path):
    path = edited(tmp_path / "t.yaml", {1: {"name": "A"}}, words=[WORDS[1], WORDS[0]])
    with pytest.raises(DataError, match="the words of topic 1 are not those of the model"):
        read_naming(path, "one", WORDS)


def test_the_digest_tells_weights_and_words():
    ones = np.ones((2, 3), np.float32)
    digest = model_digest(ones, ["a", "b", "c"])
    assert digest == model_digest(ones.copy(), ["a", "b", "c"])
    assert digest != model_digest(ones * 2, ["a", "b", "c"])
    assert digest != model_digest(ones, ["a", "b", "d"])
