"""Simulated comments with planted minority topics: an example whose answer is known.

A comment is a few sentences. A sentence is a frame ("who else remembers the {n}") of the comment's
topic, or chatter; its slots take inflected words of the topic, most often the first ones of its
list (Zipf). On top come what comments are full of: handles, addresses, numbers, emoji, capitals,
stretched words, slips, copies and empty comments. Rare words and compounds whose rank follows a
power law keep the number of distinct words growing with the corpus.

With month m, channel c and planted topic k, the probability of a topic is

    P(k | m, c) = share_k * trend_k(m) / mean trend_k * openness(c) / mean openness,

and the background topics have the rest. The words are those of config/example_*.yaml.

The files are the same bytes on every machine: they are drawn from uniform numbers by sums, products
and quotients alone, which IEEE 754 defines to the last bit.
"""

import csv
import math
import re
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np

from ..base.files import replacing, write_json, write_lines
from ..base.strict_yaml import read_yaml
from ..corpus.readers import DataError
from ..study.paths import ROOT
from .progress import Progress

LANGUAGES = ("fi", "en")
COLUMNS = ("id", "date", "channel", "author", "text")

# Every batch is drawn whole from its own numbers: a small example is the beginning of a large one.
BATCH = 10_000

FIRST_MONTH = np.datetime64("2022-01")
N_MONTHS = 24
OPENNESS = 3.0
# A channel prefers its own topic to any other of the background.
OWN_TOPIC = 6.0

TOPICAL = 0.7
# Sentences after the first that stray to the topic of any other comment.
STRAY = 0.1

COMPOUNDS = 0.2
COMPOUND_SCALE = 5000
N_PARTS = 4000
PART = {"fi": "[adeghijklmnoprstuvyäö]{3,7}[eiouyö]", "en": "[a-z]{4,8}(?<!ed|ly)(?<!ing)"}
# The commonest words are no compound's parts and not rare.
N_COMMON = 500
N_RARE = 300_000
N_AUTHORS = 10_000_000
AUTHOR_SCALE = 30_000

SLIPS = 0.015
STRETCHED = 0.008
REPLIES = 0.08
LINKS = 0.012
SHOUTED = 0.015
CAPITAL = 0.6
COPIED = 0.01
EMPTY = 0.004
WORDLESS = 0.006

JOINTS = {". ": 30, ", ": 30, " ": 25, "... ": 5, "! ": 6, "\n": 4}
ENDINGS = {
    **{"": 45, ".": 16, "!": 9, "?": 3, "!!!": 2, "...": 2, " :D": 4, " <3": 2, " xD": 1},
    **{" 😂": 4, " 😂😂😂": 2, " ❤️": 3, " 👍": 2, " 😭": 2, " 🔥🔥": 1, " 🙏": 1, " 3:45": 1},
}
EMOJI = {"😂😂😂": 4, "❤️": 4, "🔥": 2, "👍👍": 2, "😭": 1, "???": 1, "🎉🎉🎉🎉": 1, "10/10": 1}
NUMBERS = ("2023", "10", "2022", "3:45", "100", "5", "1:02", "2024", "1000", "12", "9/10", "50k")


def write_example(folder, language="fi", n_comments=50_000, random_state=1):
    """Write comments.csv, seed_words.txt, truth.json and truth.csv into `folder`.

    truth.json has the words of every planted topic, the entries of the seed list that are its own,
    and its share of the comments by month and by channel. truth.csv has the planted topic of each
    comment that has one. No step of the analysis reads either.
    """
    if language not in LANGUAGES:
        raise DataError(f"language={language!r} has no example; choose one of {LANGUAGES}")
    if n_comments < 1:
        raise DataError(f"n_comments={n_comments!r} must be at least 1")
    folder = Path(folder)
    material = read_material(language)
    counts = np.zeros((material.n_topics, N_MONTHS, len(material.channels)), dtype=np.int64)
    with (
        replacing(folder / "comments.csv") as comments_file,
        replacing(folder / "truth.csv") as truth_file,
        Progress("writing comments", n_comments) as progress,
    ):
        comments = csv.writer(comments_file, lineterminator="\n")
        planted = csv.writer(truth_file, lineterminator="\n")
        comments.writerow(COLUMNS)
        planted.writerow(["id", "topic"])
        for first in range(0, n_comments, BATCH):
            rng = np.random.default_rng([random_state, first // BATCH])
            batch = draw_batch(material, first, rng, min(BATCH, n_comments - first))
            comments.writerows(batch.rows)
            planted.writerows(batch.planted)
            counts += batch.counts
            progress.step(len(batch.rows))
    write_lines(folder / "seed_words.txt", _seed_list(material))
    write_json(folder / "truth.json", _truth(material, counts, language, random_state))


class Table:
    """Values with weights in several rows, one value drawn from each row that is asked for."""

    def __init__(self, rows):
        """`rows` are pairs of values and weights."""
        self.values = np.concatenate([np.asarray(values) for values, _ in rows])
        self.last = np.cumsum([len(values) for values, _ in rows]) - 1
        cumulative = []
        for number, (_, weights) in enumerate(rows):
            sums = np.cumsum(weights, dtype=float)
            cumulative.append(number + sums / sums[-1])
        self.cumulative = np.concatenate(cumulative)

    def draw(self, rows, rng):
        """One value from each of `rows`, an array of numbers of rows."""
        found = np.searchsorted(self.cumulative, rows + rng.random(len(rows)), side="right")
        return self.values[np.minimum(found, self.last[rows])]


def _choice(weights):
    """A table of one row from a mapping of values to weights."""
    return Table([(np.array(list(weights)), list(weights.values()))])


def _objects(values):
    array = np.empty(len(values), dtype=object)
    array[:] = list(values)
    return array


def _zipf(n, offset=2):
    return 1.0 / (np.arange(n) + offset)


@dataclass(frozen=True)
class Material:
    """What comments are drawn from; a word or a slot of a sentence is a number.

    pool : words, and the codes of a sentence's fixed words point here
    slots : name of each slot; slot s stands in a sentence as -1 - s
    sentences, lengths, starts : codes of all sentences end to end, and where each is
    n_sentences : table of sentences in a comment
    frames : table of sentences; row 0 is chatter, row 1 + k topic k
    words : table of codes; row k * len(slots) + s has the words of topic k in slot s
    noun_codes : (slots, nouns of the background) codes, -1 where a slot takes no noun
    parts : first parts of compounds, the nouns of the background first; a multiple of their number
    cells, topics : tables of month-channel cells, and of topics in each of them
    """

    pool: np.ndarray
    slots: list[str]
    sentences: np.ndarray
    lengths: np.ndarray
    starts: np.ndarray
    n_sentences: Table
    frames: Table
    words: Table
    noun_codes: np.ndarray
    parts: list[str]
    cells: Table
    topics: Table
    channels: list[str]
    open_channel: str
    n_background: int
    planted: list[dict]
    absent_seeds: list[str]

    @property
    def n_topics(self):
        return self.n_background + len(self.planted)


@cache
def read_material(language):
    """The words and sentences of config/example_<language>.yaml as tables to draw from."""
    content = read_yaml(ROOT / "config" / f"example_{language}.yaml")
    background, planted = content["background"], content["planted"]
    for topic in [*background, *planted]:
        topic["forms"] = _forms_of(topic, language)
    noun_slots, verb_slots = SLOTS[language]
    slots = [*noun_slots, *verb_slots, "adj", "rare", "num"]
    nouns = [f for topic in background for f in topic["forms"].values() if noun_slots[0] in f]
    rare_words, parts = _rare_words(language)
    # The commonest compounds are of two nouns of the file.
    parts = [forms[noun_slots[0]] for forms in nouns] + parts
    pool = Pool()
    words = _word_table(content, slots, rare_words, pool)
    noun_codes = np.full((len(slots), len(nouns)), -1)
    for number, slot in enumerate(noun_slots):
        noun_codes[number] = pool.codes(forms[slot] for forms in nouns)
    sentences, frames = _frame_table(content, slots, pool)
    lengths = np.array([len(sentence) for sentence in sentences])
    cells, topics = _share_tables(content)
    return Material(
        pool=_objects(pool.numbers),
        slots=slots,
        sentences=np.concatenate(sentences),
        lengths=lengths,
        starts=np.cumsum(lengths) - lengths,
        n_sentences=_choice(content["sentences"]),
        frames=frames,
        words=words,
        noun_codes=noun_codes,
        parts=parts[: len(parts) // len(nouns) * len(nouns)],
        cells=cells,
        topics=topics,
        channels=list(content["channels"]),
        open_channel=content["open_channel"],
        n_background=len(background),
        planted=planted,
        absent_seeds=_entries(content["absent_seeds"]),
    )


class Pool:
    """Words, each with a number."""

    def __init__(self):
        self.numbers = {}

    def codes(self, words):
        found = [self.numbers.setdefault(word, len(self.numbers)) for word in words]
        return np.array(found, dtype=np.int64)


def _word_table(content, slots, rare_words, pool):
    """The words of each topic and slot, in rows of topic * len(slots) + slot."""
    general = _entries(content["adjectives"])
    background = content["background"]
    shared = {"rare": pool.codes(rare_words), "num": pool.codes(NUMBERS)}
    rows = []
    for number, topic in enumerate([*background, *content["planted"]]):
        # Nobody calls an illness lovely.
        adjectives = _entries(topic["adjectives"]) + general * (number < len(background))
        own = {"adj": pool.codes(adjectives)} | shared
        for slot in slots:
            inflected = (forms[slot] for forms in topic["forms"].values() if slot in forms)
            codes = own[slot] if slot in own else pool.codes(inflected)
            rows.append((codes, _zipf(len(codes), offset=50 if slot == "rare" else 2)))
    return Table(rows)


def _frame_table(content, slots, pool):
    """Distinct sentences as codes, and their table: chatter, then each topic's own."""
    shared = content["shared_frames"]
    sets = [content["chatter"]]
    sets += [[*content["frames"], *shared] for _ in content["background"]]
    sets += [[*content["planted_frames"], *t["frames"], *shared] for t in content["planted"]]
    numbers = {}
    rows = []
    for frames in sets:
        found = [numbers.setdefault(frame, len(numbers)) for frame in frames]
        rows.append((found, _zipf(len(frames), offset=15)))
    return [_sentence(frame, slots, pool) for frame in numbers], Table(rows)


def _entries(text):
    return [entry.strip() for entry in text.split(",")]


def _forms_of(topic, language):
    """The forms of each noun and verb of a topic by slot."""
    noun, verb = INFLECTION[language]
    forms = {}
    for key, inflect in (("nouns", noun), ("verbs", verb)):
        for entry in _entries(topic[key]):
            parts = [part.replace("_", " ") for part in entry.split()]
            # A word may be noun and verb: the worry, to worry.
            forms[parts[0]] = forms.get(parts[0], {}) | inflect(parts)
    return forms


def _finnish_noun(parts):
    """Cases of a noun from its principal parts; vowel harmony is that of the partitive."""
    nominative, genitive, partitive, plural = parts
    stem, a = genitive[:-1], partitive[-1]
    return {
        "nom": nominative,
        "gen": genitive,
        "par": partitive,
        "ine": f"{stem}ss{a}",
        "ela": f"{stem}st{a}",
        "ade": f"{stem}ll{a}",
        "all": f"{stem}lle",
        "pl": f"{stem}t",
        "ppl": plural,
    }


def _finnish_verb(parts):
    return dict(zip(SLOTS["fi"][1], parts, strict=True))


def _english_noun(parts):
    noun = parts[0]
    plural = parts[1] if len(parts) > 1 else f"{noun}s"
    return {"n": noun, "ns": noun if plural == "-" else plural}


def _english_verb(parts):
    verb = parts[0]
    past, participle = parts[1:3] if len(parts) > 1 else (f"{verb}ed", f"{verb}ing")
    return {"v": verb, "ved": past, "ving": participle}


INFLECTION = {"fi": (_finnish_noun, _finnish_verb), "en": (_english_noun, _english_verb)}
SLOTS = {
    "fi": (
        ["nom", "gen", "par", "ine", "ela", "ade", "all", "pl", "ppl"],
        ["inf", "now", "past", "did"],
    ),
    "en": (["n", "ns"], ["v", "ved", "ving"]),
}


def _rare_words(language):
    """Words that any comment may hold, commonest first, and the first parts of compounds."""
    from wordfreq import iter_wordlist

    listed = islice(iter_wordlist(language, "large"), N_COMMON, N_COMMON + N_RARE)
    words = [word for word in listed if re.fullmatch("[a-zåäö]{3,}", word)]
    part = re.compile(PART[language])
    return words, list(islice(filter(part.fullmatch, words), N_PARTS))


def _sentence(frame, slots, pool):
    """Codes of the words of a frame, and -1 - s for slot s."""
    return np.concatenate(
        [
            [-1 - slots.index(word[1:-1])] if word.startswith("{") else pool.codes([word])
            for word in frame.split()
        ]
    )


def _trends():
    """How often a planted topic is talked about in each month, against other months of its own."""
    month = np.arange(N_MONTHS)
    of_year = month % 12
    steady = month / (N_MONTHS - 1)
    return {
        "flat": np.ones(N_MONTHS),
        "rising": 1 + 2 * steady,
        "falling": 3 - 2 * steady,
        "step": np.where(month < N_MONTHS // 2, 1.0, 2.0),
        "winter": np.array([3, 2, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3.0])[of_year],
        "summer": np.array([1, 1, 1, 2, 3, 3, 3, 2, 1, 1, 1, 1.0])[of_year],
    }


def _share_tables(content):
    """The table of cells (month * channels + channel), and that of the topics of each cell."""
    channels = list(content["channels"])
    months = 1 + np.arange(N_MONTHS) / N_MONTHS
    months /= np.cumsum(months)[-1]
    sizes = _zipf(len(channels), offset=4)
    sizes /= np.cumsum(sizes)[-1]
    openness = np.where([name == content["open_channel"] for name in channels], OPENNESS, 1.0)
    openness /= np.cumsum(sizes * openness)[-1]
    rows = []
    trends = _trends()
    for month in range(N_MONTHS):
        for channel, name in enumerate(channels):
            planted = []
            for topic in content["planted"]:
                trend = trends[topic["trend"]]
                relative = trend[month] / np.cumsum(months * trend)[-1]
                planted.append(topic["share"] * relative * openness[channel])
            own = content["channels"][name]
            liking = np.array(
                [OWN_TOPIC if topic["name"] == own else 1.0 for topic in content["background"]]
            )
            background = (1 - math.fsum(planted)) * liking / np.cumsum(liking)[-1]
            rows.append((np.arange(len(liking) + len(planted)), [*background, *planted]))
    cells = np.arange(N_MONTHS * len(channels))
    weights = np.multiply.outer(months, sizes).ravel()
    return Table([(cells, weights)]), Table(rows)


@dataclass(frozen=True)
class Batch:
    """Rows of comments.csv, rows of truth.csv, and counts (topics, months, channels)."""

    rows: list[tuple]
    planted: list[tuple]
    counts: np.ndarray


def draw_batch(material, first, rng, n_kept=BATCH):
    """Comments `first`, `first` + 1, ...; `BATCH` are drawn, and the first `n_kept` returned."""
    cell = material.cells.draw(np.zeros(BATCH, dtype=int), rng)
    topic = material.topics.draw(cell, rng)
    month, channel = np.divmod(cell, len(material.channels))
    texts = _texts(material, topic, rng)
    numbers = range(first, first + BATCH)
    ids = [f"Ug{(number * 0x9E3779B97F4B + 0x2545F4914F6C) % 2**48:012x}" for number in numbers]
    names = [material.channels[number] for number in channel.tolist()]
    rows = zip(ids, _dates(month, rng), names, _authors(material, BATCH, rng), texts, strict=True)
    is_planted = np.flatnonzero(topic[:n_kept] >= material.n_background).tolist()
    titles = [material.planted[k - material.n_background]["name"] for k in topic[is_planted]]
    shape = (material.n_topics, N_MONTHS, len(material.channels))
    flat = np.ravel_multi_index((topic[:n_kept], month[:n_kept], channel[:n_kept]), shape)
    counts = np.bincount(flat, minlength=math.prod(shape)).reshape(shape)
    planted = [(ids[row], title) for row, title in zip(is_planted, titles, strict=True)]
    return Batch(list(islice(rows, n_kept)), planted, counts)


def _dates(month, rng):
    """A moment within each month, as YouTube writes it: 2022-05-14T18:22:05Z."""
    edges = (FIRST_MONTH + np.arange(N_MONTHS + 1)).astype("datetime64[s]")
    seconds = np.diff(edges).astype(np.int64)[month]
    moments = edges[month] + (rng.random(len(month)) * seconds).astype(np.int64)
    return [f"{moment}Z" for moment in np.datetime_as_string(moments).tolist()]


def _power_law(n, n_ranks, scale, rng):
    """`n` ranks r = 0, 1, ... below `n_ranks` with P(rank >= r) near (1 + r / scale)^(-1/2)."""
    least = 1 / math.sqrt(1 + n_ranks / scale)
    u = least + (1 - least) * rng.random(n)
    return np.minimum(scale * (1 / (u * u) - 1), n_ranks - 1).astype(np.int64)


def _authors(material, n, rng):
    """Handles; a few people write much."""
    ranks = _power_law(n, N_AUTHORS, AUTHOR_SCALE, rng)
    number, noun = np.divmod(ranks, material.noun_codes.shape[1])
    names = [material.parts[which] for which in noun.tolist()]
    return [f"@{name}{k}" for name, k in zip(names, number.tolist(), strict=True)]


def _texts(material, topic, rng):
    n_sentences = material.n_sentences.draw(np.zeros(BATCH, dtype=int), rng)
    comment = np.repeat(np.arange(BATCH), n_sentences)
    starts = np.cumsum(n_sentences) - n_sentences
    topical = rng.random(len(comment)) < TOPICAL
    # A planted topic shows in the first sentence at least.
    topical[starts] |= topic >= material.n_background
    talk = topic[comment]
    stray = np.flatnonzero(rng.random(len(comment)) < STRAY)
    talk[stray] = topic[(rng.random(len(stray)) * BATCH).astype(int)]
    talk[starts] = topic
    frame = material.frames.draw(np.where(topical, 1 + talk, 0), rng)
    tokens, bounds = _words(material, frame, talk, rng)
    sentences = [" ".join(tokens[a:b]) for a, b in pairwise(bounds)]
    return _dressed(material, sentences, starts.tolist(), topic < material.n_background, rng)


def _words(material, frame, topic, rng):
    """Words of sentences end to end, and the edges of the sentences among them."""
    lengths = material.lengths[frame]
    bounds = np.concatenate([[0], np.cumsum(lengths)])
    inside = np.arange(bounds[-1]) - np.repeat(bounds[:-1], lengths)
    codes = material.sentences[np.repeat(material.starts[frame], lengths) + inside]

    filled = np.flatnonzero(codes < 0)
    slot = -1 - codes[filled]
    row = np.repeat(topic, lengths)[filled] * len(material.slots) + slot
    codes[filled] = material.words.draw(row, rng)

    takes_noun = material.noun_codes[slot, 0] >= 0
    rare = np.flatnonzero(takes_noun & (rng.random(len(filled)) < COMPOUNDS))
    n_nouns = material.noun_codes.shape[1]
    ranks = _power_law(len(rare), len(material.parts) * n_nouns, COMPOUND_SCALE, rng)
    turn, noun = np.divmod(ranks, n_nouns)
    # Every pair of part and noun has one rank, and neighbouring ranks differ in both.
    block, turn = np.divmod(turn, n_nouns)
    part = block * n_nouns + (turn + 31 * noun) % n_nouns
    codes[filled[rare]] = material.noun_codes[slot[rare], noun]

    tokens = material.pool[codes].tolist()
    for place, number in zip(filled[rare].tolist(), part.tolist(), strict=True):
        tokens[place] = material.parts[number] + tokens[place]
    chance = rng.random(len(tokens))
    where = rng.random(len(tokens))
    for place in np.flatnonzero(chance < SLIPS + STRETCHED).tolist():
        change = _slipped if chance[place] < SLIPS else _stretched
        tokens[place] = change(tokens[place], where[place])
    return tokens, bounds.tolist()


def _slipped(word, u):
    """A typing error: a letter is left out, doubled or changes places with the next one."""
    if len(word) < 4:
        return word
    kind, place = divmod(int(u * 3 * (len(word) - 2)), len(word) - 2)
    a, b = word[place + 1], word[place + 2]
    return word[: place + 1] + ("", a + a, b + a)[kind] + word[place + (2, 2, 3)[kind] :]


def _stretched(word, u):
    return word + word[-1] * (2 + int(4 * u))


def _dressed(material, sentences, starts, is_background, rng):
    """Comments of sentences, with everything about them that is not words."""
    zeros = np.zeros(BATCH, dtype=int)
    joints, endings, wordless = (
        table.draw(zeros, rng).tolist() for table in (JOINT, ENDING, WORDLESS_TEXT)
    )
    chances = rng.random((5, BATCH))
    capital = (chances[0] < CAPITAL).tolist()
    edges = [*starts, len(sentences)]
    texts = []
    for i in range(BATCH):
        text = joints[i].join(sentences[edges[i] : edges[i + 1]])
        texts.append((text[:1].upper() + text[1:] if capital[i] else text) + endings[i])

    for i in np.flatnonzero(chances[1] < SHOUTED).tolist():
        texts[i] = texts[i].upper()
    replies = np.flatnonzero(chances[2] < REPLIES).tolist()
    for i, handle in zip(replies, _authors(material, len(replies), rng), strict=True):
        texts[i] = f"{handle} {texts[i]}"
    links = np.flatnonzero(chances[3] < LINKS).tolist()
    for i, key in zip(links, (rng.random(len(links)) * 2**44).astype(np.int64), strict=True):
        texts[i] = f"{texts[i]} https://youtu.be/{key:011x}"

    background = np.flatnonzero(is_background)
    chance = chances[4, background]
    for i in background[chance < EMPTY].tolist():
        texts[i] = ""
    for i in background[(chance >= EMPTY) & (chance < EMPTY + WORDLESS)].tolist():
        texts[i] = wordless[i]
    for place in np.flatnonzero(chance > 1 - COPIED).tolist():
        texts[background[place]] = texts[background[place - 1]]
    return texts


JOINT = _choice(JOINTS)
ENDING = _choice(ENDINGS)
WORDLESS_TEXT = _choice(EMOJI)


def _seed_list(material):
    """One undivided list: which entry belongs to which topic is not told."""
    entries = {entry for topic in material.planted for entry in _entries(topic["seeds"])}
    entries |= set(material.absent_seeds)
    note = "# Words of the minority topics. An asterisk stands for any ending."
    return [note, *sorted(entries, key=lambda entry: (entry.lower(), entry))]


def _truth(material, counts, language, random_state):
    months = [str(FIRST_MONTH + month) for month in range(N_MONTHS)]
    of_month, of_channel = counts.sum(axis=(0, 2)), counts.sum(axis=(0, 1))

    def shares(names, parts, totals):
        return {
            name: part / total if total else None
            for name, part, total in zip(names, parts.tolist(), totals.tolist(), strict=True)
        }

    topics = []
    for topic, count in zip(material.planted, counts[material.n_background :], strict=True):
        words = {word: sorted(set(forms.values())) for word, forms in topic["forms"].items()}
        topics.append(
            {
                "name": topic["name"],
                "trend": topic["trend"],
                "words": words | {word: [word] for word in _entries(topic["adjectives"])},
                "seeds": _entries(topic["seeds"]),
                "comments": int(count.sum()),
                "by_month": shares(months, count.sum(axis=1), of_month),
                "by_channel": shares(material.channels, count.sum(axis=0), of_channel),
            }
        )
    return {
        "language": language,
        "random_state": random_state,
        "comments": int(counts.sum()),
        "comments_by_month": dict(zip(months, of_month.tolist(), strict=True)),
        "comments_by_channel": dict(zip(material.channels, of_channel.tolist(), strict=True)),
        "absent_seeds": material.absent_seeds,
        "open_channel": material.open_channel,
        "topics": topics,
    }
