# Environments without conda: one folder of .venvs per file of envs/, built with uv.


rule build_env:
    input:
        definition=str(environment_definition("{env}")),
        extras=environment_extras,
    output:
        record=str(environment_record("{env}")),
    log:
        log_file("build_env", "{env}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=library_with(sys.executable),
        required=required_flag,
    message:
        "Building environment {wildcards.env}"
    shell:
        "{params.python:q} -m minority_topics build_env {input.definition:q}"
        " --record {output.record:q} {params.required:q} &> {log:q}"


rule envs:
    input:
        environments(*sorted({"study", "comments", *(row.environment for row in METHODS.values())})),
    localrule: True
