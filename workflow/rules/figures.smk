# Figures, each from only one table, the report, and what says that a dataset is complete.


rule configuration:
    output:
        config=CONFIGURATION,
    log:
        log_file("configuration", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
    localrule: True
    conda:
        our_conda
    params:
        python=library_with(sys.executable),
        config=effective_config,
    message:
        "Configuration of {wildcards.dataset}, with its defaults"
    shell:
        "{params.python:q} -m minority_topics configuration {params.config:q}"
        " --out {output.config:q} &> {log:q}"


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
        locks=dataset_locks,
        sources=dataset_sources,
        results=made_files,
        folders=own_folders,
        library=modules("study.provenance", "base.files"),
        environment=our_environment,
    output:
        facts=PROVENANCE,
    log:
        log_file("provenance", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
    localrule: True
    conda:
        our_conda
    params:
        python=our_python,
    message:
        "What made the results of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics provenance --config {input.config:q}"
        " --methods-file {input.methods_file:q} --locks {input.locks:q}"
        " --sources {input.sources:q} --results {input.results:q} {input.folders:q}"
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


# Last of all: it lists what was made, folder by folder.
rule manifest:
    input:
        files=listed_files,
        folders=listed_folders,
        config=CONFIGURATION,
        methods_file=METHODS_FILE,
        library=modules("study.sealing", "study.registry", "base.strict_yaml", *MAKERS),
        environment=our_environment,
    output:
        manifest=SEAL,
    log:
        log_file("manifest", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(CONFIG["datasets"]),
    localrule: True
    conda:
        our_conda
    params:
        python=our_python,
    message:
        "Manifests of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics manifest {input.files:q} --config {input.config:q}"
        " --methods-file {input.methods_file:q} &> {log:q}"


rule manifest_of_verdicts:
    input:
        files=ALL_VERDICTS,
        library=modules("study.sealing", "study.registry", "base.strict_yaml", *MAKERS),
        environment=environments("study"),
    output:
        manifest=SEAL_OF_VERDICTS,
    log:
        log_file("manifest_of_verdicts", "all"),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
    message:
        "Manifest of the paper's numbers beside ours"
    shell:
        "{params.python:q} -m minority_topics manifest {input.files:q} &> {log:q}"
