# One rule fits every method; the table of methods says how.


def method_library(wildcards):
    return modules("fitting", "worker", f"methods.{METHODS[wildcards.method].module}")


def method_environments(wildcards):
    return environments("study", METHODS[wildcards.method].environment)


def method_conda(wildcards):
    return str(ROOT / "envs" / f"{METHODS[wildcards.method].environment}.yaml")


def method_options(wildcards):
    return json.dumps(CONFIG["options"].get(wildcards.method, {}), sort_keys=True)


def method_row(wildcards):
    return repr(METHODS[wildcards.method])


def method_threads(wildcards):
    return METHODS[wildcards.method].threads


def method_memory(wildcards):
    return int(METHODS[wildcards.method].memory_mb)


def method_runtime(wildcards):
    """Minutes that a whole batch may take."""
    return int(METHODS[wildcards.method].minutes * len(batch_repetitions(wildcards))) + 5


def tool_options(wildcards):
    """Where the method's own python is; with conda it is the job's."""
    if USES_CONDA:
        return ""
    name = METHODS[wildcards.method].environment
    return f"--python {shlex.quote(python_of(name))} --environment {shlex.quote(environment_record(name))}"


def n_topics(wildcards):
    return wildcards.setting.split("-")[0]


def n_minority(wildcards):
    return wildcards.setting.split("-")[1]


rule fit:
    input:
        corpora=corpus_files,
        library=method_library,
        environment=method_environments,
    output:
        fits=directory("results/{dataset}/fits/{method}/{setting}/{batch}"),
    log:
        "results/logs/fit/{dataset}.{method}.{setting}.{batch}.log",
    conda:
        method_conda
    threads: method_threads
    resources:
        mem_mb=method_memory,
        runtime=method_runtime,
    params:
        python=python_of("study"),
        tool=tool_options,
        corpora=corpora,
        n_topics=n_topics,
        n_minority=n_minority,
        repetitions=batch_repetitions,
        random_state=CONFIG["random_state"],
        options=method_options,
        methods_file=str(resolve(CONFIG["methods_file"])),
        row=method_row,
    message:
        "{wildcards.method} on {wildcards.dataset}, setting {wildcards.setting}, repetitions {wildcards.batch}"
    shell:
        "{params.python} -m minority_topics fit {wildcards.method} --corpus {params.corpora:q}"
        " --n-topics {params.n_topics} --n-minority {params.n_minority}"
        " --repetitions {params.repetitions} --random-state {params.random_state}"
        " --axes {wildcards.dataset} --options {params.options:q}"
        " --methods-file {params.methods_file:q} {params.tool} --out {output.fits:q} &> {log}"
