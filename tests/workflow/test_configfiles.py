"""What Snakemake would pass over in a configuration file is told before anything runs."""

import pytest
from helpers import snakemake, tiny


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("repetitions: 3\n", "the key 'repetitions' appears twice; remove one"),
        ("options: {nmf: {tol: .inf}}\n", "'.inf' is not a finite number"),
    ],
)
def test_odd_yaml_is_told_with_file_and_line(tmp_path, more, sentence):
    path = tiny(tmp_path)
    line = path.read_text().count("\n") + 1
    with open(path, "a") as file:
        file.write(more)
    output = snakemake("--configfile", path, "--dry-run", folder=tmp_path, expect=1)
    assert f"Configuration: {path}, line {line}: {sentence}" in output
    assert "Traceback" not in output
