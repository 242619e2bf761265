# Environments without conda: one folder of .venvs per file of envs/, built with uv.


if workflow.is_main_process and not USES_CONDA:
    forget_failed_environments()


rule build_env:
    input:
        definition=str(ROOT / "envs/{env}.yaml"),
        extras=environment_extras,
    output:
        record=environment_record("{env}"),
    log:
        "results/logs/build_env/{env}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=sys.executable,
        required=required_flag,
    message:
        "Building environment {wildcards.env}"
    shell:
        "{params.python} -m minority_topics build_env {input.definition:q}"
        " --record {output.record:q} {params.required} &> {log:q}"


rule envs:
    input:
        environments("study", *sorted({method.environment for method in METHODS.values()})),
