"""Files below results/ are cut, changed and deleted: the plain command makes them again."""

import os
import random
import subprocess
import sys
from collections import defaultdict

import pytest
from ledger import MOMENTS, at_moments

from minority_topics.base.manifest import glance, verify

pytestmark = pytest.mark.slow
HOW = ("cut", "flipped", "deleted")


def spoil(path, how, dice):
    """Damage a file as a disk does, or a hand."""
    content = bytearray(path.read_bytes())
    if how == "deleted":
        path.unlink()
        return
    place = dice.randrange(len(content))
    content[place] ^= 1 << dice.randrange(8)
    path.write_bytes(content if how == "flipped" else content[:place])


def listed_files(folder):
    """Files of results that a manifest lists, and the manifests."""
    for path in sorted((folder / "results").rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not hidden and "logs" not in path.parts:
            yield path


def kinds(folder):
    """Files by kind: those with one name in folders of one kind are one."""
    found = defaultdict(list)
    for path in listed_files(folder):
        part = path.relative_to(folder / "results").parts[1]
        found[part if part == path.name else f"{part}/{path.name}"].append(path)
    return found


@pytest.mark.parametrize("how", HOW)
def test_each_file_is_seen_before_a_run(study, copy, monkeypatch, fault, how):
    """In the long form every file, else one of each kind. Only a look: the runs are below."""
    monkeypatch.chdir(copy)
    dice = random.Random(how)
    # Outputs of the workflow themselves: Snakemake sees that they are not there.
    outputs = {*copy.glob("results/*/manifest.json")} if how == "deleted" else set()
    for paths in kinds(copy).values():
        for path in sorted({*(paths if MOMENTS >= 10 else [dice.choice(paths)])} - outputs):
            content, facts = path.read_bytes(), path.stat()
            with fault(f"a file is {how}: seen"):
                spoil(path, how, dice)
                name = path.relative_to(copy)
                seen = {problem.folder / problem.name for problem in glance("results")}
                # A changed manifest that can still be read is another's word against its files.
                if name.name != "manifest.json":
                    assert name in seen
                else:
                    told = {p.folder / p.name for p in verify("results", marks=["status.json"])}
                    assert seen | told, name
            path.write_bytes(content)
            os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert not list(glance("results"))


@pytest.mark.long
@at_moments
@pytest.mark.parametrize("how", HOW)
def test_a_plain_run_makes_it_again(study, copy, fault, how, moment):
    dice = random.Random(f"{how} {moment}")
    with fault(f"a file is {how}: made again"):
        spoil(dice.choice(dice.choice([*kinds(copy).values()])), how, dice)
        study.check(copy)


@pytest.mark.long
@at_moments
def test_own_comments_are_made_again(own, own_folder, fault, moment):
    how = HOW[moment % 3]
    dice = random.Random(f"own {moment}")
    paths = [path for path in listed_files(own_folder) if path.name != "topics.yaml"]
    with fault(f"a file is {how}: made again"):
        spoil(dice.choice(paths), how, dice)
        own.check(own_folder)


@pytest.mark.long
@at_moments
def test_rot_without_a_trace_is_found_by_verify(study, copy, fault, moment):
    """A bit flips on the disk, and neither size nor time tells of it."""
    dice = random.Random(f"rot {moment}")
    path = dice.choice([path for path in listed_files(copy) if path.name != "manifest.json"])
    with fault("a bit rots: found by verify, made again"):
        facts = path.stat()
        spoil(path, "flipped", dice)
        os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
        told = verb("verify", "--repair", folder=copy)
        assert f"{path.relative_to(copy)} is damaged" in told
        study.check(copy)


def verb(*words, folder):
    command = [sys.executable, "-m", "minority_topics", *words]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    return ran.stdout + ran.stderr
