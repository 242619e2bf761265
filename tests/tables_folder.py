"""A folder of tables like that of `answer`, made up: Finnish comments, or hostile ones."""

import json

import numpy as np

from minority_topics.base.files import write_csv, write_json, write_lines
from minority_topics.base.manifest import write_manifest
from minority_topics.comments import folders

# Name, words with how often they come, forms of them in comments; the first are of seed words.
MINORITY = (
    ("Masennus ja jaksaminen", "masennus uupumus jaksaa ahdistus lääke terapia uni väsymys",
     "Masennuksen kanssa on vaikea jaksaa töissä, ja terapiaan jonotetaan kuukausia."),
    ("Päihteet", "alkoholi päihde raitis humala viina katko riippuvuus juoda",
     "Alkoholin kanssa kävi niin, että katkolle pääsi vasta kolmannella yrittämällä."),
    ("Yksinäisyys", "yksinäinen yksinäisyys ystävä seura hiljaisuus puhelin ilta vanhus",
     "Yksinäisyys on iltaisin pahinta, kun puhelin ei soi eikä seuraa ole."),
)  # fmt: skip
MAJORITY = (
    ("", "hallitus ministeri puolue vaali eduskunta päättää vero äänestää",
     "Hallitus päätti taas verosta, ja vaaleissa nähdään mitä puolueet siitä sanovat."),
    ("Liikenne", "auto bussi tie juna pyörä liikenne ruuhka lippu",
     "Juna oli myöhässä, bussi täynnä ja tie poikki. Ensi viikolla pyörällä."),
    ("", "peli joukkue maali kausi valmentaja ottelu voitto jääkiekko",
     "Joukkue pelasi kauden parhaan ottelun, ja maali tuli viime sekunneilla."),
    ("Sää", "lumi pakkanen sade talvi lämpö tuuli pilvi kesä",
     "Lunta tuli yöllä kymmenen senttiä ja pakkanen vain kiristyy."),
)  # fmt: skip
SEED_WORDS = ("masennus", "uupumus", "ahdistus", "alkoholi", "päihde", "yksinäinen", "yksinäisyys")
SEED_FORMS = (
    "masennus", "masennuksen", "masennusta", "uupumus", "ahdistus", "alkoholi", "alkoholin",
    "päihde", "yksinäinen", "yksinäisyys", "paniikki kohtaus",
)  # fmt: skip
GROUPS = ("Uutiset", "Keskustelu", "Kaupunki", "Urheilu")
HOSTILE = (
    "<script>window.executed = 1</script>",
    "</script><script>window.executed = 1</script>",
    "<!-- <script> --!> ]]> <img src=x onerror='window.executed = 1'>",
    "\"quoted\" 'quoted' `quoted` \\ \\u0022 &quot; &amp;",
    "{{ 7 * 7 }} {% raw %} ${window.executed = 1} #{1} <%= 1 %>",
    "\u202eright to left\u202c \u2067isolated שלום مرحبا",
    "👩‍👩‍👧‍👦 🦊 🇫🇮 zero\u200bwidth\u200d\ufeff soft\u00adhyphen",
    "line\u2028and\u2029paragraph",
    "javascript:window.executed=1 https://example.org/?a=<b>",
    "Ä" * 3000,
    "Z\u0351\u036b\u0343" * 60,
    "\x07bell \x1b[31mred\x1b[0m \x00",
    "=HYPERLINK(\"https://example.org\",\"x\")",
)  # fmt: skip
MONTHS = [f"{year}-{month:02}" for year in (2023, 2024) for month in range(1, 13)]


def write_tables(
    folder, *, hostile=False, texts=True, dates=True, groups=True, lemmas="none", n_majority=4,
    n_examples=20, periods=MONTHS,
):  # fmt: skip
    """Write such a folder, and give the words of its topics as lists."""
    rng = np.random.default_rng(0)
    folder.mkdir(parents=True, exist_ok=True)
    wild = iter(np.resize(np.array(HOSTILE, dtype=object), 100_000))
    text = (lambda usual: f"{usual} {next(wild)}") if hostile else str
    majority = [MAJORITY[number % len(MAJORITY)] for number in range(n_majority)]
    topics = [("minority", *topic) for topic in MINORITY]
    topics += [("majority", *topic) for topic in majority]
    shares = np.r_[[0.013, 0.0078, 0.0004], rng.dirichlet(np.full(n_majority, 5.0)) * 0.97]
    words = [[text(word) if hostile else word for word in topic[2].split()] for topic in topics]
    numbers = range(1, len(topics) + 1)
    seeds = {word for row in words for word in row if word.split()[0] in SEED_WORDS}

    write_csv(
        folder / folders.TOPICS,
        ["topic", "kind", "name", "prevalence", "documents", "seed_share", "stability",
         "top_words", "exclusive_words", "seed_words"],
        [
            (number, kind, text(name) if name else "", share, round(50_000 * share),
             0.44 if kind == "minority" else 0.0, 0.83, ", ".join(row), ", ".join(row[::-1]),
             ", ".join(word for word in row if word in seeds))
            for number, (kind, name, *_), share, row in zip(
                numbers, topics, shares, words, strict=True)
        ],
    )  # fmt: skip
    write_csv(
        folder / folders.TOPIC_WORDS,
        ["topic", "rank", "word", "weight", "exclusivity", "seed"],
        [
            (number, rank, word, 0.3 / rank, rank / 10, int(word in seeds))
            for number, row in zip(numbers, words, strict=True)
            for rank, word in enumerate(row, start=1)
        ],
    )
    write_csv(
        folder / folders.EXAMPLES,
        ["topic", "rank", "row", "id", "date", "group", "weight", "text"],
        [
            (number, rank, row, f"{row:08x}",
             f"2024-{1 + rank % 12:02}-11 08:30:00" if dates else "",
             text(GROUPS[rank % 4]) if groups else "", round(1 - rank / 40, 3),
             text(topic[3]) * (1 + rank % 3) if texts else "")
            for number, topic in zip(numbers, topics, strict=True)
            for rank in range(1, n_examples + 1)
            for row in [number * 1000 + rank]
        ],
    )  # fmt: skip
    waves = 1 + 0.5 * np.sin(np.arange(len(periods)) / 4 + np.arange(len(topics))[:, None])
    write_csv(
        folder / folders.TRENDS,
        ["topic", "period", "start", "documents", "prevalence", "low", "high"],
        [
            (number, month, f"{month}-01", 2000, share * wave, 0.8 * share * wave,
             1.25 * share * wave)
            for number, share, row in zip(numbers, shares, waves, strict=True)
            for month, wave in zip(periods, row, strict=True)
        ] if dates else [],
    )  # fmt: skip
    write_csv(
        folder / folders.GROUPS,
        ["topic", "group", "documents", "prevalence", "low", "high", "suppressed"],
        [
            (number, text(group), 12_000 - 1000 * place,
             *((share * f * (1 + place / 3) for f in (1, 0.9, 1.1)) if place < 3 else ("", "", "")),
             int(place == 3))
            for number, share in zip(numbers, shares, strict=True)
            for place, group in enumerate(GROUPS)
        ] if groups else [],
    )  # fmt: skip
    points = rng.normal(size=(len(topics), 2))
    write_csv(
        folder / folders.TOPIC_MAP,
        ["topic", "x", "y", "nearest", "similarity"],
        [
            (number, *point, 1 + np.argsort(np.hypot(*(points - point).T))[1], 0.31)
            for number, point in zip(numbers, points, strict=True)
        ],
    )  # fmt: skip
    write_csv(
        folder / folders.SUGGESTED_WORDS,
        ["word", "score", "documents", "documents_minority", "topic"],
        [
            (text(word), 40.5 / place, 900 // place, 300 // place, 1)
            for place, word in enumerate(["terapia", "katko", "sairasloma", "burnout"], start=1)
        ],
    )
    write_csv(
        folder / folders.SEED_FREE,
        ["row", "id", "date", "group", "main_topic", "sample", "suggested_words", "text"],
        [
            (row, f"{row:08x}", "2024-02-03 10:00:00" if dates else "",
             text("Uutiset") if groups else "", row % len(topics) + 1 if row % 5 else "",
             "enriched" if row > 7 else "random", "",
             text("En jaksa enää nousta aamulla sängystä.") if texts else "")
            for row in range(12)
        ],
    )  # fmt: skip
    warnings = {"masenus": "No word of the comments matches.", "uni*": "It is in 12% of comments."}
    opinions = {
        "uni*": (0.125, "partly", text("uni")), "masenus": ("", "", ""),
        "alkoholi": (0.05, "no", "alkoholi"), "päihde": (0.99996, "yes", ""),
    }  # fmt: skip
    write_csv(
        folder / folders.SEED_WORDS,
        ["entry", "kind", "words", "documents", "share", "occurs_with", "closest", "warning",
         "probability", "trusted", "distrusted_words"],
        [
            (text(entry), kind, text(found), documents, documents / 50_000, text("uupumus"),
             closest, warnings.get(entry, ""), *opinions.get(entry, (0.81, "yes", "")))
            for entry, kind, found, documents, closest in [
                ("masennus", "word", "masennus", 310, ""),
                ("uni*", "wildcard", "uni, unettomuus", 6000, ""),
                ("paniikki kohtaus", "phrase", "paniikki kohtaus", 12, ""),
                ("masenus", "word", "", 0, "masennus"),
                *((word, "word", word, 100 + len(word), "") for word in SEED_WORDS[1:]),
            ]
        ],
    )  # fmt: skip
    write_lines(folder / folders.SEED_FORMS, SEED_FORMS)
    _write_guidance(folder, text, texts, dates, groups)
    skipped = {"empty text": 31, "no closing quote": 2, "same text as before": 480}
    write_csv(
        folder / folders.INPUT_REPORT,
        ["file", "line", "reason", "detail"],
        [
            (text("/home/somebody/comments.csv"), line, reason, text("seen before at line 3"))
            for reason, count in skipped.items()
            for line in range(2, 2 + count)
        ],
    )
    summary = _summary(len(topics), skipped, texts, dates, groups)
    summary["cleaning"]["lemmas"] = lemmas
    if hostile:
        summary = json.loads(json.dumps(summary).replace("comments.csv", r"\u003cb>\"x.csv"))
        summary["reading"]["columns"]["text"] = HOSTILE[1]
    write_json(folder / folders.SUMMARY, summary)
    write_manifest(folder)
    return words


def _write_guidance(folder, text, texts, dates, groups):
    write_csv(
        folder / folders.DISCOVERED_WORDS,
        ["word", "probability", "documents", "occurs_with"],
        [
            (text(word), 0.9 - place / 10, 60 - place, text("masennus (31)") + ", uupumus (4)")
            for place, word in enumerate(["nousta", "sänky", "aamu"])
        ],
    )
    for name, words, usual in (
        (folders.RELEASED, "nousta, sängystä", "En jaksa enää nousta aamulla sängystä."),
        (folders.CAPPED, "alkoholi", "Alkoholin hinta nousee taas."),
    ):
        write_csv(
            folder / name,
            ["row", "id", "date", "group", "probability", "main_topic", "words", "text"],
            [
                (row, f"{row:08x}", "2024-02-03" if dates else "",
                 text("Uutiset") if groups else "", 0.99999 - row / 100, row % 3 + 4 if row else "",
                 text(words), text(usual) if texts else "")
                for row in range(14)
            ],
        )  # fmt: skip


def _summary(n_topics, skipped, texts, dates, groups):
    read, left = 50_513, sum(skipped.values())
    reading = {
        "files": [{"file": "/home/somebody/comments.csv", "format": "csv", "encoding": "utf-8",
                   "delimiter": ",", "quote": '"', "rows": read, "kept": read - left}],
        "columns": {"text": "body", "id": None, "date": "created" if dates else None,
                    "group": "channel" if groups else None},
        "rows_read": read, "rows_kept": read - left, "skipped": skipped, "repeated_texts": 480,
        "dates": ["2023-01-01", "2024-12-31"] if dates else None, "undated": 0,
        "groups": len(GROUPS) if groups else 0,
        "settings": {"duplicates": "skip", "min_words": 1, "ids": "hash", "redact": True,
                     "keep_texts": texts, "languages": None},
    }  # fmt: skip
    cleaning = {
        "documents": read - left, "documents_with_words": 49_321, "words": 8123, "forms": 61_200,
        "tokens": 601_234, "language": "fi", "lemmas": "none", "stop_words": 847, "min_df": 5,
        "max_df": 0.5, "seed_entries": 10, "seed_entries_found": 9, "seed_words": 11,
        "seed_entries_missing": ["masenus"], "documents_with_seed": 1311,
    }  # fmt: skip
    fit = {
        "n_topics": n_topics, "n_minority": len(MINORITY), "theta_min": 0.4, "w_max": 1e-9,
        "random_state": 1, "iterations": 143, "converged": True, "objective": 123456.7,
        "feasible": True, "kkt": {"dual": 0.0, "stationarity_H": 2.4e-6},
        "seconds": 12.3, "peak_mb": 840.2,
        "guidance": "list",
        "learnt_guidance": {
            "reason": None, "rounds": 12, "converged": True, "seed_words": 11, "distrusted": 2,
            "discovered": 3, "documents_with_seed": 1311, "capped": 120, "released": 14,
        },
        "agreement": {"fits": 4, "mean_ami": 0.46}, "stability": [0.83] * n_topics,
    }  # fmt: skip
    return {
        "name": "example", "texts": texts,
        "topics_file": {"file": "topics.yaml", "applied": [1, 5]},
        "period": "month" if dates else None, "dates": reading["dates"],
        "fit": fit, "reading": reading, "cleaning": cleaning,
        **{key: reading[key] for key in ("rows_read", "rows_kept", "skipped")},
        **{key: cleaning[key] for key in ("documents_with_words", "words", "seed_entries",
                                          "seed_entries_missing", "documents_with_seed")},
        "n_topics": n_topics, "n_minority": len(MINORITY),
    }  # fmt: skip
