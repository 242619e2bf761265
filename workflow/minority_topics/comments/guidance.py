"""What learnt guidance thinks of the list of seed words, whether the fit follows it or not.

See `nmf.guidance`: belief propagation between comments and listed words tells which listed words
to trust, which other words belong to them, and which comments may hold minority topics. It costs
O(nonzeros), so that every fit is told by it; it is one number a word and one a comment.
"""

from dataclasses import dataclass

import numpy as np

from ..base.files import replacing
from ..base.text import counted, listed
from ..nmf.guidance import FALLS_BACK, NUMBERS, Learnt, Listed, Unlearnable, learn_guidance
from ..nmf.kernels import Passes
from ..nmf.model import ConstrainedNMF
from . import folders

# A list looks noisy if more than this share of the seed words found is distrusted, if more than
# this share of the comments with a seed word would be capped, or if the comments without one that
# would be freed are more than this share of those with one.
MOST_DISTRUSTED, MOST_CAPPED, MOST_FREED = 0.1, 0.25, 0.25


@dataclass(frozen=True)
class Opinion:
    """Guidance of words; of each comment (M,) its probability, and whether it is free."""

    guidance: Learnt
    probability: np.ndarray
    free: np.ndarray

    def save(self, path):
        arrays = {name: getattr(self.guidance, name) for name in Learnt.__dataclass_fields__}
        with replacing(path, "wb") as file:
            np.savez(file, **arrays, probability=self.probability, free=self.free)

    @classmethod
    def load(cls, path):
        with np.load(path, allow_pickle=False) as saved:
            arrays = {name: saved[name] for name in saved.files}
        of_comments = arrays.pop("probability"), arrays.pop("free")
        numbers = {name: arrays.pop(name).item() for name in NUMBERS}
        return cls(Learnt(**arrays, **numbers), *of_comments)


def judge(V, has_words, fit_folder, vectors=None):
    """Write what learnt guidance thinks into the folder of a fit; gives what `fit.json` tells.

    V (comments with words x words, CSR) is what was fitted, `has_words` (M,) where its rows stand
    among the comments. Nothing is written where nothing can be learnt, for a `reason`.
    """
    guidance = ConstrainedNMF.load(fit_folder)._guidance
    law = Listed(guidance.listed, V.shape[1])
    try:
        if not isinstance(guidance, Learnt):
            guidance = learn_guidance(Passes(V), law.listed, vectors)
    except Unlearnable as error:
        return {"reason": str(error)}
    probability, free = np.zeros(len(has_words), np.float32), np.zeros(len(has_words), bool)
    probability[has_words] = guidance.document_probability(V)
    free[has_words] = guidance.free(V, probability[has_words])
    Opinion(guidance, probability, free).save(fit_folder / folders.GUIDANCE)
    holds = law.document_probability(V) > 0
    is_free = free[has_words]
    return {
        "reason": None,
        "rounds": guidance.n_rounds,
        "converged": bool(guidance.converged),
        "seed_words": len(guidance.listed),
        "distrusted": len(guidance.distrusted),
        "discovered": len(guidance.discovered),
        "documents_with_seed": int(holds.sum()),
        "capped": int((holds & ~is_free).sum()),
        "released": int((is_free & ~holds).sum()),
    }


def falls_back(V, listed):
    """The sentence that fits to V fall back to the list, as a list; none where they learn."""
    try:
        learn_guidance(Passes(V), listed)
    except Unlearnable as error:
        return [FALLS_BACK.format(error)]
    return []


def follows(fit):
    """Whether the fit has learnt guidance; where nothing could be learnt, it has the list."""
    found = fit.get("learnt_guidance")
    return bool(found) and fit.get("guidance") == "learnt" and found["reason"] is None


def signs_of_noise(found):
    """Why the list looks noisy, in words, from what `judge` found; none where it does not."""
    signs = []
    if found["reason"] is None:
        if found["distrusted"] > MOST_DISTRUSTED * found["seed_words"]:
            signs.append(f"more than {MOST_DISTRUSTED:.0%} of the seed words found are distrusted")
        if found["capped"] > MOST_CAPPED * found["documents_with_seed"]:
            signs.append(f"more than {MOST_CAPPED:.0%} of the comments with one would be capped")
        if found["released"] > MOST_FREED * found["documents_with_seed"]:
            signs.append(
                "the comments without one that would be freed are more than "
                f"{MOST_FREED:.0%} of those with one"
            )
    return signs


def recommendation(fit):
    """The sentence that recommends learnt guidance, as a list; `fit` is the content of fit.json."""
    found = fit.get("learnt_guidance")
    if not found or fit["guidance"] == "learnt" or not (signs := signs_of_noise(found)):
        return []
    return [
        f"The list of seed words looks noisy, since {listed(signs)}: the default, guidance: "
        "learnt, is recommended (leave out guidance=list)."
    ]


def sentences(fit):
    """What learnt guidance thinks of the list, from the content of fit.json."""
    found = fit.get("learnt_guidance")
    if not found:
        return []
    asked = fit["guidance"] == "learnt"  # then the fit has warned of what went wrong
    if found["reason"]:
        return [] if asked else [f"Learnt guidance has no opinion of the list: {found['reason']}."]
    caps, frees = ("caps", "frees") if asked else ("would cap", "free")
    lines = [
        f"Learnt guidance distrusts {found['distrusted']:,} of "
        f"{counted(found['seed_words'], 'seed word')} and discovers "
        f"{counted(found['discovered'], 'other')}; it {caps} {found['capped']:,} of "
        f"{counted(found['documents_with_seed'], 'comment')} with a seed word, and {frees} "
        f"{found['released']:,} without one."
    ]
    if not found["converged"] and not asked:
        lines.append(f"Learnt guidance has not settled in {found['rounds']} rounds.")
    return lines
