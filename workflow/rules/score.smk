# Tables: scores of fits, what else fits have left, comparisons and verdicts.


rule score:
    input:
        fits=table_fits,
        corpora=table_corpora,
        library=modules("scores.scoring"),
        environment=environments("study"),
    output:
        table=TABLE,
    log:
        log_file("score", "{dataset}.{table}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
    localrule: True
    conda:
        "../../envs/study.yaml"
    threads: 2
    params:
        python=python_of("study"),
        varied=varied,
    message:
        "Table {wildcards.table} of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics score {input.fits:q} --varied {params.varied:q}"
        " --processes {threads:q} --out {output.table:q} &> {log:q}"


rule trajectory:
    input:
        fits=solver_fits,
        library=modules("scores.tables"),
        environment=environments("study"),
    output:
        table=table_pattern("trajectory"),
    log:
        log_file("trajectory", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Objective across iterations on {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics trajectory {input.fits:q}"
        " --out {output.table:q} &> {log:q}"


rule topics:
    input:
        fits=shown_fits,
        corpora=rules.vectorise.output.corpora,
        glosses=glosses_files,
        library=modules("corpus.glosses", "scores.matches", "scores.tables"),
        environment=environments("study"),
    output:
        table=table_pattern("topics"),
    log:
        log_file("topics", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Topics of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics topics {input.fits:q} --glosses {input.glosses:q}"
        " --out {output.table:q} &> {log:q}"


rule matches:
    input:
        fits=shown_fits,
        corpora=rules.vectorise.output.corpora,
        glosses=glosses_files,
        library=modules("corpus.glosses", "scores.matches", "scores.tables"),
        environment=environments("study"),
    output:
        true_topics=table_pattern("true_topics"),
        examples=table_pattern("examples"),
    log:
        log_file("matches", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "True topics and their nearest of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics matches {input.fits:q} --glosses {input.glosses:q}"
        " --true-topics {output.true_topics:q} --examples {output.examples:q} &> {log:q}"


rule resources:
    input:
        fits=timed_fits,
        library=modules("scores.tables"),
        environment=environments("study"),
    output:
        table=RESOURCES,
    log:
        log_file("resources", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Time and memory of fits on {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics resources {input.fits:q} --out {output.table:q} &> {log:q}"


rule cost:
    input:
        fits=dataset_fits,
        library=modules("scores.tables"),
        environment=environments("study"),
    output:
        table=COST,
    log:
        log_file("cost", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        parts=cost_options,
    message:
        "Time of every part of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics cost {params.parts:q} --out {output.table:q} &> {log:q}"


rule versions:
    input:
        fits=used_fits,
        library=modules("scores.tables"),
        environment=environments("study"),
    output:
        table=VERSIONS,
    log:
        log_file("versions", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Versions that methods ran in on {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics versions {input.fits:q} --out {output.table:q} &> {log:q}"


rule resample:
    input:
        fits=compared_fits,
        corpora=rules.vectorise.output.corpora,
        library=modules("scores.resampling"),
        environment=environments("study"),
    output:
        table=table_pattern("resamples"),
    log:
        log_file("resample", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    threads: 2
    params:
        python=python_of("study"),
    message:
        "Scores of {wildcards.dataset} under resampled documents"
    shell:
        "{params.python:q} -m minority_topics resample {input.fits:q} --processes {threads:q}"
        " --out {output.table:q} &> {log:q}"


rule compare:
    input:
        scores=table_pattern("scores"),
        variants=evidence("variants"),
        resamples=evidence("resamples"),
        methods_file=METHODS_FILE,
        library=modules("scores.evidence", "scores.tables", "study.registry"),
        environment=environments("study"),
    output:
        summary=table_pattern("summary"),
        comparisons=table_pattern("comparisons"),
    log:
        log_file("compare", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Means, intervals and comparisons of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics compare {input.scores:q}"
        " --variants {input.variants:q} --resamples {input.resamples:q}"
        " --methods-file {input.methods_file:q} --summary {output.summary:q}"
        " --comparisons {output.comparisons:q} &> {log:q}"


rule parts:
    input:
        scores=table_pattern("decomposition"),
        library=modules("scores.parts", "scores.tables"),
        environment=environments("study"),
    output:
        table=table_pattern("parts"),
    log:
        log_file("parts", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "What each part of the model brings on {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics parts {input.scores:q} --out {output.table:q} &> {log:q}"


rule verdicts:
    input:
        scores=table_pattern("scores"),
        variants=evidence("variants"),
        resamples=evidence("resamples"),
        constraints=evidence("constraints"),
        trajectory=evidence("trajectory"),
        parts=evidence("parts"),
        published=str(ROOT / "config/published_scores.tsv"),
        methods_file=METHODS_FILE,
        library=modules("scores.verdicts", "scores.tables", "study.registry"),
        environment=environments("study"),
    output:
        numbers=table_pattern("paper_vs_ours"),
        claims=table_pattern("claims"),
    log:
        log_file("verdicts", "{dataset}"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Verdicts on the paper's numbers and claims, by {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics verdicts {input.scores:q}"
        " --variants {input.variants:q} --resamples {input.resamples:q}"
        " --constraints {input.constraints:q} --trajectory {input.trajectory:q}"
        " --parts {input.parts:q}"
        " --published {input.published:q} --methods-file {input.methods_file:q}"
        " --numbers {output.numbers:q} --claims {output.claims:q} &> {log:q}"


rule all_verdicts:
    input:
        tables=expand(table_pattern("paper_vs_ours"), dataset=STUDY),
        library=modules("scores.tables"),
        environment=environments("study"),
    output:
        table=ALL_VERDICTS,
    log:
        log_file("all_verdicts", "all"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "The paper's numbers beside ours"
    shell:
        "{params.python:q} -m minority_topics join {input.tables:q} --out {output.table:q} &> {log:q}"
