"""The steps from own comments to answers, as the settings of a dataset ask for them.

Each step reads the folders of those before it and writes one of its own, so that a change of a
setting repeats only the steps that it is a setting of.
"""

import shutil
from pathlib import Path

from ..base.files import read_json
from ..base.manifest import check_manifest
from ..base.text import counted
from .folders import CLEANING, DOCUMENTS, NAMES


def read(files, out, settings, secret=None, forms=None):
    from .reading import read_comments, summary_lines

    return summary_lines(read_comments(files, out, secret=secret, forms=forms, **settings))


def apply(files, model, out, settings, topics_file=None):
    """New comments, whose ids are hashed as those of the model were, where its secret is there.

    Topics are named, merged and dropped by `topics_file`, by default the one beside the model.
    """
    from ..corpus.readers import require_file
    from .answers.naming import sentences
    from .applying import apply_model
    from .reading import SECRET

    if topics_file is not None:
        names = require_file(topics_file)
    else:  # this step writes no template
        names = path if (path := Path(model).with_name(NAMES)).exists() else None
    out, secret = Path(out), Path(model).parent / SECRET
    comments, forms = out / "comments", out / "forms"
    lines = read(files, comments, settings, secret if secret.exists() else None, forms)
    facts = apply_model(model, comments, out, forms_folder=forms, topics_file=names)
    if not settings["keep_texts"]:
        shutil.rmtree(forms)
    return [
        *lines,
        *sentences(facts["topics_file"]),
        f"{facts['documents_with_words']:,} of "
        f"{counted(facts['documents'], 'comment holds', 'comments hold')} words of the model; a "
        f"minority topic is the main one of {facts['documents_of_minority_topics']:,}.",
        f"The topics of each comment are in {out / DOCUMENTS}.",
    ]


def vectorise(comments, seed_words, out, settings):
    from .matrix import vectorise_comments
    from .summaries import of_words

    return of_words(vectorise_comments(comments, seed_words, out, **settings))


def fit(matrix, out, settings):
    from .fitting import fit_comments
    from .sizes import Basis, topic_numbers
    from .summaries import of_fit

    check_manifest(matrix, CLEANING)
    basis = Basis.of(read_json(Path(matrix) / CLEANING))
    numbers = topic_numbers(basis, settings["n_topics"], settings["n_minority"])
    return of_fit(fit_comments(matrix, out, **settings | numbers))


def answer(comments, matrix, model, out, settings, *, name, topics_file):
    from .answers import answer
    from .summaries import of_answers

    facts = answer(
        comments, matrix, model, out, name=name, topics_file=topics_file,
        # Beside the tables, which a new run removes: coders fill these in.
        sheets=Path(out).with_name("coding"), **settings,
    )  # fmt: skip
    return of_answers(facts)
