"""The simulated comments: what is in the files, how often, and that it is what truth.json says."""

import csv
import hashlib
import json
import re
from collections import Counter
from types import SimpleNamespace

import case_study
import numpy as np
import pytest
import simplemma
from helpers import needs_voikko

from minority_topics.base.files import read_lines
from minority_topics.comments import example
from minority_topics.comments.example import Table, read_material, write_example
from minority_topics.corpus.forms import forms
from minority_topics.corpus.readers import DataError

N_COMMENTS = 50_000


@pytest.fixture(scope="module", params=["fi", "en"])
def written(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    write_example(folder, request.param, N_COMMENTS)
    with open(folder / "comments.csv", newline="", encoding="utf-8") as file:
        comments = list(csv.DictReader(file, strict=True))
    texts = [row["text"] for row in comments]
    return SimpleNamespace(
        language=request.param,
        folder=folder,
        comments=comments,
        texts=texts,
        forms=[forms(text) for text in texts],
        truth=json.loads((folder / "truth.json").read_text(encoding="utf-8")),
        planted=case_study.read_planted_topics(folder),
        seeds=read_lines(folder / "seed_words.txt"),
    )


def share(texts, pattern):
    return np.mean([bool(re.search(pattern, text)) for text in texts])


def test_comments_are_a_table_of_24_months_and_8_channels(written):
    assert len(written.comments) == N_COMMENTS
    assert all(list(row) == ["id", "date", "channel", "author", "text"] for row in written.comments)
    assert len({row["id"] for row in written.comments}) == N_COMMENTS
    dates = [row["date"] for row in written.comments]
    assert all(re.fullmatch(r"202[23]-\d\d-\d\dT\d\d:\d\d:\d\dZ", date) for date in dates)
    np.array([date[:-1] for date in dates], dtype="datetime64[s]")  # no 31st of February
    assert len({date[:7] for date in dates}) == 24
    assert len({row["channel"] for row in written.comments}) == 8
    assert all(re.fullmatch(r"@\w+\d+", row["author"].replace("-", "")) for row in written.comments)


def test_comments_look_like_comments(written):
    assert 11 < np.mean([len(text.split()) for text in written.texts]) < 13
    assert np.max([len(text.split()) for text in written.texts]) > 80
    assert 0.002 < np.mean([not text for text in written.texts]) < 0.01
    wordless = [not found for found in written.forms]
    assert 0.007 < np.mean(wordless) < 0.025
    assert 0.05 < share(written.texts, r"^@\w+ ") < 0.11
    assert 0.005 < share(written.texts, r"https://youtu\.be/[0-9a-f]{11}$") < 0.02
    assert 0.1 < share(written.texts, r"\d") < 0.3
    assert 0.1 < share(written.texts, "[\U0001f300-\U0001faff❤]") < 0.25
    assert 0.005 < np.mean([text.isupper() for text in written.texts]) < 0.03
    assert 0.03 < share(written.texts, r"([^\W\d_])\1\1") < 0.2
    assert 0.01 < share(written.texts, "\n") < 0.06
    assert 0.1 < share(written.texts, ",") < 0.5


def test_some_comments_stand_twice_but_most_do_not(written):
    long = Counter(text for text in written.texts if len(text.split()) > 8)
    copies = sum(count - 1 for count in long.values())
    assert 0.002 * N_COMMENTS < copies < 0.02 * N_COMMENTS


def test_the_number_of_words_grows_with_the_number_of_comments(written):
    n_words = [
        len({form for found in written.forms[:n] for form in found})
        for n in (N_COMMENTS // 10, N_COMMENTS)
    ]
    # Heaps' exponent of real comments is .6 to .8; a closed vocabulary would end near 0.
    assert 0.55 < np.log10(n_words[1] / n_words[0]) < 0.9


def test_truth_counts_what_was_written(written):
    months, channels = written.truth["comments_by_month"], written.truth["comments_by_channel"]
    assert months == Counter(row["date"][:7] for row in written.comments)
    assert channels == Counter(row["channel"] for row in written.comments)
    assert written.truth["comments"] == N_COMMENTS
    planted = [row for row in written.comments if row["id"] in written.planted]
    assert len(planted) == len(written.planted)
    for topic in written.truth["topics"]:
        own = [row for row in planted if written.planted[row["id"]] == topic["name"]]
        assert topic["comments"] == len(own)
        by_month = Counter(row["date"][:7] for row in own)
        assert topic["by_month"] == {m: by_month[m] / months[m] for m in months}
        by_channel = Counter(row["channel"] for row in own)
        assert topic["by_channel"] == {c: by_channel[c] / channels[c] for c in channels}


def test_planted_topics_are_few_and_rise_fall_and_peak(written):
    assert 0.02 < len(written.planted) / N_COMMENTS < 0.04
    trends = {topic["trend"]: list(topic["by_month"].values()) for topic in written.truth["topics"]}
    assert set(trends) == {"rising", "falling", "flat", "step", "winter", "summer"}
    half = {trend: np.mean(v[12:]) / np.mean(v[:12]) for trend, v in trends.items()}
    assert half["rising"] > 1.2
    assert half["falling"] < 0.85
    assert half["step"] > 1.4
    assert 0.7 < half["flat"] < 1.4
    of_year = {trend: np.mean([v[:12], v[12:]], axis=0) for trend, v in trends.items()}
    is_winter = np.isin(np.arange(12), [0, 10, 11])
    assert of_year["winter"][is_winter].mean() > 1.7 * of_year["winter"][~is_winter].mean()
    is_summer = np.isin(np.arange(12), [4, 5, 6])
    assert of_year["summer"][is_summer].mean() > 1.7 * of_year["summer"][~is_summer].mean()


def test_one_channel_talks_three_times_as_much_of_them(written):
    about = {row["channel"]: [0, 0] for row in written.comments}
    for row in written.comments:
        about[row["channel"]][row["id"] in written.planted] += 1
    shares = {name: planted / (planted + other) for name, (other, planted) in about.items()}
    open_share = shares.pop(written.truth["open_channel"])
    assert 2.5 < open_share / np.mean(list(shares.values())) < 3.5
    assert max(shares.values()) < 0.6 * open_share


def test_most_planted_comments_hold_a_word_of_their_topic_and_few_others_do(written):
    words = {t["name"]: case_study.vocabulary(t) for t in written.truth["topics"]}
    own = {"planted": [], "other": []}
    for row, words_of_comment in zip(written.comments, written.forms, strict=True):
        found = set(words_of_comment)
        name = written.planted.get(row["id"])
        if name:
            own["planted"].append(bool(found & words[name]))
        else:
            own["other"].append([bool(found & vocabulary) for vocabulary in words.values()])
    assert 0.75 < np.mean(own["planted"]) < 0.97
    assert (np.mean(own["other"], axis=0) > 0.0002).all()  # no word is a sure sign
    assert (np.mean(own["other"], axis=0) < 0.06).all()


def test_the_seed_list_is_one_list_with_half_of_the_words(written):
    note, *seeds = written.seeds
    assert note.startswith("#")
    assert seeds == sorted(seeds, key=lambda seed: (seed.lower(), seed))
    assert any(seed.endswith("*") for seed in seeds)
    assert any(" " in seed for seed in seeds)
    assert any(seed != seed.lower() for seed in seeds)
    inflected = 0
    for topic in written.truth["topics"]:
        assert set(topic["seeds"]) <= set(seeds)
        words = topic["words"]
        listed = [seed.lower() for seed in topic["seeds"]]
        begins = tuple(seed[:-1] for seed in listed if seed.endswith("*"))
        told = [w for w, fs in words.items() if w.startswith(begins) or set(listed) & {w, *fs}]
        assert 0.3 < len(told) / len(words) < 0.65, topic["name"]
        inflected += sum(seed not in words and seed.isalpha() for seed in listed)
    assert inflected >= 5


def test_words_of_all_seeds_but_the_absent_ones_occur_in_the_comments(written):
    spoken = set().union(*written.forms)
    everything = "\n".join(" ".join(found) for found in written.forms)
    inflected = [forms for topic in written.truth["topics"] for forms in topic["words"].values()]

    def occurs(seed):
        seed = seed.lower()
        if seed.endswith("*"):
            return any(form.startswith(seed[:-1]) for form in spoken)
        if " " in seed:
            return seed in everything
        return any(seed in forms and spoken.intersection(forms) for forms in inflected)

    absent = [seed for seed in written.seeds[1:] if not occurs(seed)]
    assert absent == written.truth["absent_seeds"]


def test_nobody_praises_what_the_planted_topics_are_about(written):
    praise = {"fi": r"paras (\w+) ikinä", "en": r"best (\w+) ever"}[written.language]
    praised = Counter(re.findall(praise, "\n".join(written.texts).lower()))
    assert len(praised) > 100
    planted = set().union(*(topic["words"] for topic in written.truth["topics"]))
    material = read_material(written.language)
    planted -= set(material.parts)  # a scene is a fit, too, in Finnish
    assert sum(praised[word] for word in planted) <= 3  # a slip of the pen turns uuni into uni


def test_forms_lead_back_to_their_words(written):
    forms_of = {
        (form, word)
        for topic in read_material(written.language).planted
        for word, inflected in topic["forms"].items()
        for form in inflected.values()
        if " " not in word
    }
    back = [simplemma.lemmatize(form, lang=written.language) == word for form, word in forms_of]
    assert len(back) > 150
    assert np.mean(back) > 0.85


@needs_voikko
def test_voikko_knows_the_cases_of_all_finnish_nouns():
    import libvoikko

    analyser = libvoikko.Voikko("fi")
    cases = {"nom": "nimento", "gen": "omanto", "par": "osanto", "ine": "sisaolento"}
    cases |= {"ela": "sisaeronto", "ade": "ulkoolento", "all": "ulkotulento"}
    right = []
    for topic in read_material("fi").planted:
        for word, inflected in topic["forms"].items():
            for slot, case in cases.items():
                if slot in inflected:
                    found = analyser.analyze(inflected[slot])
                    right.append(
                        any((a["BASEFORM"], a.get("SIJAMUOTO")) == (word, case) for a in found)
                    )
    assert len(right) > 500
    assert np.mean(right) > 0.9


def test_inflection():
    noun = example._finnish_noun(["ystävyys", "ystävyyden", "ystävyyttä", "ystävyyksiä"])
    assert noun["ine"] == "ystävyydessä"
    assert noun["all"] == "ystävyydelle"
    assert noun["pl"] == "ystävyydet"
    assert example._english_noun(["crisis", "crises"]) == {"n": "crisis", "ns": "crises"}
    assert example._english_noun(["grief", "-"]) == {"n": "grief", "ns": "grief"}
    assert example._english_verb(["heal"]) == {"v": "heal", "ved": "healed", "ving": "healing"}


@pytest.mark.parametrize(
    ("u", "slip"), [(0.0, "wrd"), (0.4, "woord"), (0.99, "wodr"), (0.7, "wrod"), (0.2, "wod")]
)
def test_slips_leave_a_letter_out_double_one_or_exchange_two(u, slip):
    assert example._slipped("word", u) == slip


def test_a_table_draws_from_the_row_by_its_weights():
    table = Table([([10, 20], [1, 3]), ([30], [1]), ([40, 50, 60], [2, 0, 2])])
    rows = np.repeat([0, 1, 2], 4000)
    drawn = table.draw(rows, np.random.default_rng(0)).reshape(3, -1)
    assert set(drawn[0]) == {10, 20}
    assert np.mean(drawn[0] == 20) == pytest.approx(0.75, abs=0.03)
    assert set(drawn[1]) == {30}
    assert set(drawn[2]) == {40, 60}


def test_ranks_follow_the_power_law():
    ranks = example._power_law(100_000, 10**6, 1000, np.random.default_rng(0))
    assert ranks.min() == 0
    assert ranks.max() < 10**6
    # P(rank >= 3000) = (1 + 3)^(-1/2), but for the end that is cut off.
    assert np.mean(ranks >= 3000) == pytest.approx(0.5, abs=0.03)


def test_every_compound_has_one_rank():
    material = read_material("en")
    n_nouns = material.noun_codes.shape[1]
    assert len(material.parts) % n_nouns == 0
    assert len(material.parts) * n_nouns > 1_000_000


def test_the_same_random_state_gives_the_same_bytes_and_the_beginning_of_more(tmp_path):
    write_example(tmp_path / "a", "en", 300)
    write_example(tmp_path / "b", "en", 300)
    write_example(tmp_path / "more", "en", 10_100)
    write_example(tmp_path / "other", "en", 300, random_state=2)
    for name in ("comments.csv", "truth.csv", "truth.json", "seed_words.txt"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    content = (tmp_path / "a/comments.csv").read_bytes()
    assert (tmp_path / "more/comments.csv").read_bytes().startswith(content)
    assert (tmp_path / "other/comments.csv").read_bytes() != content


@pytest.mark.parametrize(
    ("language", "digest"), [("fi", "21cf0086f4297f76"), ("en", "f0992fe850508510")]
)
def test_bytes_are_those_of_every_machine(tmp_path, language, digest):
    write_example(tmp_path, language, 10_000)
    content = (tmp_path / "comments.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest()[:16] == digest


@pytest.mark.parametrize(
    ("settings", "problem"), [({"language": "sv"}, "'sv'"), ({"n_comments": 0}, "n_comments=0")]
)
def test_what_cannot_be_written_is_refused(tmp_path, settings, problem):
    with pytest.raises(DataError, match=problem):
        write_example(tmp_path, **settings)
    assert not list(tmp_path.iterdir())


TRUTH = {
    "open_channel": "a",
    "comments_by_channel": {"a": 100, "b": 100, "c": 300},
    "comments_by_month": {"2022-01": 1, "2022-02": 1, "2022-03": 1},
    "topics": [
        {
            "name": "sleep",
            "words": {"sleep": ["sleep", "slept"], "nap": ["nap", "naps"]},
            "by_month": {"2022-01": 0.01, "2022-02": 0.02, "2022-03": 0.03},
            "by_channel": {"a": 0.06, "b": 0.02, "c": 0.02},
        },
        {
            "name": "panic",
            "words": {"panic attack": ["panic attack", "panic attacks"], "fear": ["fear"]},
            "by_month": {"2022-01": 0.03, "2022-02": 0.01, "2022-03": 0.02},
            "by_channel": {"a": 0.02, "b": 0.02, "c": 0.02},
        },
    ],
}
TOPIC_WORDS = {
    1: ["panic", "attack", "video", "song"],
    2: ["slept", "nap", "sleep", "fear"],
    3: ["sleep", "naps", "car", "song"],
    4: ["car", "road", "video", "song"],
}


def test_topics_are_matched_with_planted_ones_by_their_words():
    matches = case_study.match_topics(TOPIC_WORDS, TRUTH, n_top=4)
    assert matches == {"sleep": (2, 0.75), "panic": (1, 0.5)}
    about = case_study.topics_about(TOPIC_WORDS, TRUTH, n_top=4)
    assert about == {"sleep": [2, 3], "panic": [1]}


def test_prevalence_is_compared_by_month_and_channel():
    about = {"sleep": [2, 3], "panic": []}
    rows = [(2, "2022-01", 0.1), (2, "2022-02", 0.1), (2, "2022-03", 0.2)]
    rows += [(3, "2022-01", 0.0), (3, "2022-02", 0.1), (3, "2022-03", 0.1), (1, "2022-01", 9)]
    trends = [{"topic": str(t), "period": p, "prevalence": str(v)} for t, p, v in rows]
    found = case_study.month_correlations(trends, about, TRUTH)
    assert found["sleep"] == pytest.approx(1.0)  # .1, .2, .3 against .01, .02, .03
    assert np.isnan(found["panic"])
    # .1, .2, .3 against .04, .03, .05: covariance .1 * .01 / 2, deviations .1 and .01.
    assert case_study.total_month_correlation(trends, about, TRUTH) == pytest.approx(0.5)
    rows = [(2, "a", "0.4"), (2, "b", "0.2"), (2, "c", "0.1"), (3, "a", "0.1"), (3, "b", "")]
    groups = [{"topic": str(t), "group": g, "prevalence": v} for t, g, v in rows]
    ratios = case_study.channel_ratios(groups, about, TRUTH)
    # .5 against (.2 * 100 + .1 * 300) / 400
    assert ratios["sleep"] == (pytest.approx(4.0), pytest.approx(3.0))
    assert np.isnan(ratios["panic"][0])


def test_comments_found_counts_those_that_were_kept():
    main = {"1": 2, "2": 3, "3": 1, "4": 2, "5": None}
    planted = {"1": "sleep", "3": "sleep", "9": "sleep", "2": "panic"}
    found = case_study.comments_found(main, planted, {"sleep": [2], "panic": []})
    assert found == {"sleep": (1 / 2, 1 / 2), "panic": (0.0, 0.0)}
