# One rule fits every method; the table of methods says how. On a cluster only this is submitted: all
# other rules take seconds, and environments must be there first.


rule fit:
    input:
        corpora=rules.vectorise.output.corpora,
        library=method_library,
        environment=method_environments,
    output:
        fits=directory(FITS),
    log:
        log_file("fit", "{dataset}.{method}.{setting}.{batch}"),
    conda:
        method_conda
    threads: method_threads
    resources:
        mem_mb=method_memory,
        runtime=method_runtime,
        # For SLURM: Snakemake cuts threads to the cores of the machine that submits.
        cpus_per_task=method_threads,
    params:
        python=python_of("study"),
        tool=tool_options,
        corpora=corpora,
        n_topics=n_topics,
        n_minority=n_minority,
        repetitions=batch_repetitions,
        random_state=CONFIG["random_state"],
        options=method_options,
        methods_file=METHODS_FILE,
        row=method_row,
    message:
        "{wildcards.method} on {wildcards.dataset}, setting {wildcards.setting}, repetitions {wildcards.batch}"
    shell:
        "{params.python:q} -m minority_topics fit {wildcards.method:q} --corpus {params.corpora:q}"
        " --n-topics {params.n_topics:q} --n-minority {params.n_minority:q}"
        " --repetitions {params.repetitions:q} --random-state {params.random_state:q}"
        " --dataset {wildcards.dataset:q} --options {params.options:q}"
        " --methods-file {params.methods_file:q} {params.tool:q}"
        " --out {output.fits:q} &> {log:q}"
