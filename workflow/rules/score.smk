# Tables: scores of fits, what else fits have left, comparisons and verdicts.


rule score:
    input:
        fits=table_fits,
        corpora=table_corpora,
        library=modules("scoring"),
        environment=environments("study"),
    output:
        table="results/{dataset}/tables/{table}.csv",
    log:
        "results/logs/score/{dataset}.{table}.log",
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
    conda:
        "../../envs/study.yaml"
    threads: 2
    params:
        python=python_of("study"),
        varied=varied,
    message:
        "Table {wildcards.table} of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics score {input.fits:q} --varied {params.varied:q}"
        " --processes {threads} --out {output.table:q} &> {log:q}"


rule trajectory:
    input:
        fits=solver_fits,
        library=modules("tables"),
        environment=environments("study"),
    output:
        table="results/{dataset}/tables/trajectory.csv",
    log:
        "results/logs/trajectory/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Objective across iterations on {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics trajectory {input.fits:q}"
        " --out {output.table:q} &> {log:q}"


rule topics:
    input:
        fits=shown_fits,
        corpora=rules.vectorise.output.corpora,
        glosses=glosses_file,
        library=modules("tables", "inject"),
        environment=environments("study"),
    output:
        table="results/{dataset}/tables/topics.csv",
    log:
        "results/logs/topics/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        glosses=glosses_option,
    message:
        "Topics of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics topics {input.fits:q} --corpora {input.corpora:q}"
        " {params.glosses} --out {output.table:q} &> {log:q}"


rule resources:
    input:
        fits=timed_fits,
        library=modules("tables"),
        environment=environments("study"),
    output:
        table="results/{dataset}/resources/fits.csv",
    log:
        "results/logs/resources/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Time and memory of fits on {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics resources {input.fits:q} --out {output.table:q} &> {log:q}"


rule compare:
    input:
        scores="results/{dataset}/tables/scores.csv",
        methods_file=str(resolve(CONFIG["methods_file"])),
        library=modules("statistics"),
        environment=environments("study"),
    output:
        summary="results/{dataset}/tables/summary.csv",
        comparisons="results/{dataset}/tables/comparisons.csv",
    log:
        "results/logs/compare/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Means, intervals and comparisons of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics compare {input.scores:q}"
        " --methods-file {input.methods_file:q} --summary {output.summary:q}"
        " --comparisons {output.comparisons:q} &> {log:q}"


rule verdicts:
    input:
        scores="results/{dataset}/tables/scores.csv",
        constraints=evidence("constraints"),
        trajectory=evidence("trajectory"),
        published=str(ROOT / "config/published_scores.tsv"),
        methods_file=str(resolve(CONFIG["methods_file"])),
        library=modules("verdicts"),
        environment=environments("study"),
    output:
        numbers="results/{dataset}/tables/paper_vs_ours.csv",
        claims="results/{dataset}/tables/claims.csv",
    log:
        "results/logs/verdicts/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Verdicts on the paper's numbers and claims, by {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics verdicts {input.scores:q}"
        " --constraints {input.constraints:q} --trajectory {input.trajectory:q}"
        " --published {input.published:q} --methods-file {input.methods_file:q}"
        " --numbers {output.numbers:q} --claims {output.claims:q} &> {log:q}"


rule all_verdicts:
    input:
        tables=expand("results/{dataset}/tables/paper_vs_ours.csv", dataset=CONFIG["datasets"]),
        library=modules("tables"),
        environment=environments("study"),
    output:
        table="results/tables/paper_vs_ours.csv",
    log:
        "results/logs/all_verdicts.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "The paper's numbers beside ours"
    shell:
        "{params.python} -m minority_topics join {input.tables:q} --out {output.table:q} &> {log:q}"
