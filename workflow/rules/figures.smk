# Figures, each from only one table, and the report.


rule configuration:
    output:
        config=CONFIGURATION,
    log:
        log_file("configuration", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        config=effective_config,
    message:
        "Configuration of {wildcards.dataset}, with its defaults"
    shell:
        "printf %s {params.config:q} > {output.config:q} 2> {log:q}"


rule figure:
    input:
        table=figure_table,
        published=figure_published,
        methods_file=METHODS_FILE,
        library=figure_library,
        environment=environments("study"),
    output:
        png=f"{FIGURE}.png",
        pdf=f"{FIGURE}.pdf",
        svg=f"{FIGURE}.svg",
        csv=f"{FIGURE}.csv",
        text=f"{FIGURE}.txt",
    log:
        log_file("figure", "{dataset}.{folder}.{figure}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
        folder="figures|resources",
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        published=published_option,
    message:
        "Figure {wildcards.figure} of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics figure {wildcards.figure:q} --table {input.table:q}"
        " {params.published:q} --methods-file {input.methods_file:q} --out {output.png:q} &> {log:q}"


rule provenance:
    input:
        config=CONFIGURATION,
        methods_file=METHODS_FILE,
        locks=report_locks,
        # Made of the fits: new ones are dated anew.
        versions=rules.versions.output.table,
        library=modules("study.provenance", "base.files"),
        environment=environments("study"),
    output:
        facts=PROVENANCE,
    log:
        log_file("provenance", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "What made the results of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics provenance --config {input.config:q}"
        " --methods-file {input.methods_file:q} --locks {input.locks:q}"
        " --out {output.facts:q} &> {log:q}"


rule report:
    input:
        tables=report_tables,
        figures=report_figures,
        corpora=rules.vectorise.output.corpora,
        versions=rules.versions.output.table,
        config=CONFIGURATION,
        provenance=PROVENANCE,
        methods_file=METHODS_FILE,
        library=modules("report.page", "report.templates"),
        environment=environments("study"),
    output:
        page=REPORT,
    log:
        log_file("report", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(STUDY),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Report of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics report --tables {input.tables:q}"
        " --figures {input.figures:q} --corpora {input.corpora:q} --versions {input.versions:q}"
        " --config {input.config:q} --provenance {input.provenance:q}"
        " --methods-file {input.methods_file:q} --out {output.page:q} &> {log:q}"
