"""Kernels in processes of their own: several threads, forks, and machine code of other sources."""

import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import minority_topics
from minority_topics import ConstrainedNMF
from minority_topics.nmf.compiled import SOURCES
from minority_topics.nmf.start import whole_process

PACKAGE = Path(minority_topics.__file__).parent

PROBLEM = """
import sys, warnings
import numpy as np
from minority_topics import ConstrainedNMF
from minority_topics.nmf import compiled

compiled.SMALL = 0  # the threads of numba have work
warnings.simplefilter("ignore")
X = np.random.default_rng(0).poisson(0.5, (300, 30)).astype(float)

short = {"n_init": 1, "max_iter": 10}

def fit(random_state):
    model = ConstrainedNMF(4, 2, seed_words=[0, 1], random_state=random_state, **short)
    return model.fit(X).components_
"""

THREADS = """
from concurrent.futures import ThreadPoolExecutor

expected = [fit(n) for n in range(3)]
with ThreadPoolExecutor(3) as pool:
    for found, alone in zip(pool.map(fit, [0, 1, 2] * 3), expected * 3):
        np.testing.assert_array_equal(found, alone)
"""

FORKS = """
import multiprocessing

def count(n):
    return fit(n)

expected = [fit(n) for n in range(3)]
with multiprocessing.get_context("fork").Pool(2) as pool:
    for found, of_parent in zip(pool.map(count, range(3)), expected):
        np.testing.assert_allclose(found, of_parent, rtol=1e-6, atol=1e-9)
"""


def run(script, package=PACKAGE.parent, **environment):
    """Run a script with our library in a process of its own; what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(package), **environment}
    ran = subprocess.run(
        [sys.executable, "-c", script],
        env=environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    return ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("layer", ["default", "workqueue", "omp"])
@pytest.mark.parametrize("script", [THREADS, FORKS], ids=["threads", "forks"])
def test_fits_in_threads_and_in_forks_are_those_of_one_process(layer, script):
    run(PROBLEM + script, NUMBA_THREADING_LAYER=layer)


WHOLE_PROCESS = """
from concurrent.futures import ThreadPoolExecutor
from threadpoolctl import threadpool_info, threadpool_limits

def state():
    blas = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
    return blas, list(warnings.filters)

sys.setswitchinterval(1e-5)
threadpool_limits(2, user_api="blas")
before = state()
assert 2 in before[0], before[0]
with ThreadPoolExecutor(4) as pool:
    list(pool.map(fit, range(24)))
assert state() == before, (before, state())
"""

FORK_DURING_A_START = """
import os, threading
from minority_topics.nmf.start import whole_process

held, done = threading.Event(), threading.Event()

def hold():
    with whole_process():
        held.set()
        done.wait()

threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    fit(0)
    os._exit(0)
_, status = os.waitpid(child, 0)
done.set()
assert status == 0, status
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        WHOLE_PROCESS,
        pytest.param(
            FORK_DURING_A_START,
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks"),
        ),
    ],
    ids=["state", "fork"],
)
def test_fits_in_threads_leave_the_process_as_it_was(script):
    run(PROBLEM + script)


def test_input_is_checked_while_nobody_else_sets_filters_of_warnings():
    """scikit-learn sets one meanwhile, and puts back those that it found."""
    checked = threading.Event()

    def check():
        ConstrainedNMF(2, 1, seed_words=[0])._check_matrix(np.eye(3), reset=True)
        checked.set()

    with whole_process():
        threading.Thread(target=check).start()
        assert not checked.wait(0.2)
    assert checked.wait(10)


SCALE = """
import numpy as np
from minority_topics.nmf.factors import Factor

factor = Factor.of(np.full((2, 2), 3.0))
factor.scale(np.full((2, 2), 5.0))
print(factor.rows[0, 0])
"""


@pytest.mark.slow
def test_machine_code_follows_every_file_it_was_made_of(tmp_path):
    for name in ("nmf", "base", "__init__.py"):
        copy = shutil.copytree if (PACKAGE / name).is_dir() else shutil.copy
        (tmp_path / "minority_topics").mkdir(exist_ok=True)
        copy(PACKAGE / name, tmp_path / "minority_topics" / name)

    def scaled():
        return float(run(SCALE, tmp_path, NUMBA_CACHE_DIR=str(tmp_path / "cache")))

    registers = tmp_path / "minority_topics" / "nmf" / "registers.py"
    product = registers.read_text(encoding="utf-8")
    sum_instead = product.replace("builder.fmul, *arguments", "builder.fadd, *arguments")
    assert product != sum_instead
    assert scaled() == 15
    registers.write_text(sum_instead, encoding="utf-8")
    assert scaled() == 8
    registers.write_text(product, encoding="utf-8")
    assert scaled() == 15


def test_every_file_with_machine_code_is_known():
    files = {path.name: path.read_text(encoding="utf-8") for path in (PACKAGE / "nmf").glob("*.py")}
    compiled = {
        n for n, text in files.items() if re.search(r"^@(kernel|njit|intrinsic)", text, re.M)
    }
    assert compiled | {"compiled.py"} == set(SOURCES)


@pytest.mark.slow
def test_the_package_is_light_until_its_model_is_asked_for():
    light = "import sys, minority_topics.nmf.progress; print('numba' in sys.modules)"
    assert run(light).strip() == "False"
    script = "from minority_topics import ConstraintWarning, ObjectiveWarning; print('here')"
    assert run(script).strip() == "here"
