# Figures, each from the table of scores alone.


rule figure:
    input:
        scores=rules.tabulate.output.scores,
        methods_file=str(resolve(CONFIG["methods_file"])),
        library=figure_library,
        environment=environments("study"),
    output:
        png=report(
            "results/{dataset}/figures/{figure}.png",
            caption="../report/figure.rst",
            category="{dataset}",
            labels={"content": "{figure}", "kind": "figure"},
        ),
        pdf="results/{dataset}/figures/{figure}.pdf",
        csv=report(
            "results/{dataset}/figures/{figure}.csv",
            caption="../report/figure.rst",
            category="{dataset}",
            labels={"content": "{figure}", "kind": "table"},
        ),
    log:
        "results/logs/figure/{dataset}.{figure}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Figure {wildcards.figure} of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics figure {wildcards.figure} --scores {input.scores:q}"
        " --methods-file {input.methods_file:q} --out {output.png:q} &> {log}"
