# Figures, each from one table alone, and the report.


rule figure:
    input:
        table=figure_table,
        methods_file=str(resolve(CONFIG["methods_file"])),
        library=figure_library,
        environment=environments("study"),
    output:
        png="results/{dataset}/{folder}/{figure}.png",
        pdf="results/{dataset}/{folder}/{figure}.pdf",
        csv="results/{dataset}/{folder}/{figure}.csv",
    log:
        "results/logs/figure/{dataset}.{folder}.{figure}.log",
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
        folder="figures|resources",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Figure {wildcards.figure} of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics figure {wildcards.figure} --table {input.table:q}"
        " --methods-file {input.methods_file:q} --out {output.png:q} &> {log:q}"


rule report:
    input:
        tables=report_tables,
        figures=report_figures,
        methods_file=str(resolve(CONFIG["methods_file"])),
        library=[*modules("report"), str(LIBRARY / "minority_topics" / "report.html.jinja")],
        environment=environments("study"),
    output:
        page="results/{dataset}/report.html",
    log:
        "results/logs/report/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        config=report_config,
    message:
        "Report of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics report results/{wildcards.dataset:q}"
        " --figures {input.figures:q} --methods-file {input.methods_file:q}"
        " --out {output.page:q} &> {log:q}"
