# One rule fits every method; the table of methods says how.


rule fit:
    input:
        corpora=rules.vectorise.output.corpora,
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
        methods_file=str(resolve(CONFIG["methods_file"])),
        row=method_row,
    message:
        "{wildcards.method} on {wildcards.dataset}, setting {wildcards.setting}, repetitions {wildcards.batch}"
    shell:
        "{params.python} -m minority_topics fit {wildcards.method:q} --corpus {params.corpora:q}"
        " --n-topics {params.n_topics} --n-minority {params.n_minority}"
        " --repetitions {params.repetitions} --random-state {params.random_state}"
        " --dataset {wildcards.dataset:q} --options {params.options:q}"
        " --methods-file {params.methods_file:q} {params.tool} --out {output.fits:q} &> {log:q}"
