# Environments without conda: one folder of .venvs per file of envs/, built with uv.


def post_deploy(wildcards):
    script = ROOT / "envs" / f"{wildcards.env}.post-deploy.sh"
    return [str(script)] if script.exists() else []


def required_flag(wildcards):
    # Without the study's own environment nothing can run; a tool's failure is a row of the tables.
    return "--required" if wildcards.env == "study" else ""


def forget_failed_environments():
    """A build that failed is tried again by the next run."""
    for record in ENVIRONMENTS.glob("*.json"):
        if json.loads(record.read_text(encoding="utf-8"))["status"] != "ok":
            record.unlink()


if not USES_CONDA:
    forget_failed_environments()


rule build_env:
    input:
        definition=str(ROOT / "envs/{env}.yaml"),
        script=post_deploy,
    output:
        record=environment_record("{env}"),
    log:
        "results/logs/build_env/{env}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=sys.executable,
        folder=str(ENVIRONMENTS / "{env}"),
        required=required_flag,
    message:
        "Building environment {wildcards.env}"
    shell:
        "{params.python} -m minority_topics build_env {input.definition:q} {params.folder:q}"
        " --record {output.record:q} {params.required} &> {log}"
