# Scores: one table per method, setting and batch, then one per dataset.


rule score:
    input:
        fits=rules.fit.output.fits,
        corpora=corpus_files,
        library=modules("scoring"),
        environment=environments("study"),
    output:
        scores="results/{dataset}/scores/{method}/{setting}/{batch}.csv",
    log:
        "results/logs/score/{dataset}.{method}.{setting}.{batch}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        corpora=corpora,
    message:
        "Scores of {wildcards.method} on {wildcards.dataset}, setting {wildcards.setting}"
    shell:
        "{params.python} -m minority_topics score {input.fits:q} --corpus {params.corpora:q}"
        " --out {output.scores:q} &> {log}"


rule tabulate:
    input:
        scores=all_scores,
        environment=environments("study"),
    output:
        scores=report(
            "results/{dataset}/tables/scores.csv",
            caption="../report/scores.rst",
            category="{dataset}",
            labels={"content": "all scores", "kind": "table"},
        ),
    log:
        "results/logs/tabulate/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Table of scores of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics tabulate {input.scores:q}"
        " --dataset {wildcards.dataset} --out {output.scores:q} &> {log}"
