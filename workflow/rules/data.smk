# The corpora: background, injected topics, matrices.


rule background:
    input:
        source=background_file,
        library=modules("corpus", "text", "contract"),
        environment=environments("study"),
    output:
        documents=directory("results/{dataset}/background"),
    log:
        "results/logs/background/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(INJECTED),
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        source=background_source,
        n_documents=of_dataset("n_documents"),
        random_states=states_for("background"),
        text_column=of_dataset("text_column"),
        stop_words=of_dataset("stop_words"),
        lemmas=of_dataset("lemmas"),
    message:
        "Background of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics background --source {params.source:q}"
        " --n-documents {params.n_documents} --random-state {params.random_states}"
        " --text-column {params.text_column:q} --stop-words {params.stop_words}"
        " --lemmas {params.lemmas} --out {output.documents:q} &> {log:q}"


rule inject:
    input:
        documents=rules.background.output.documents,
        topics=file_of_dataset("topics"),
        library=modules("inject", "contract"),
        environment=environments("study"),
    output:
        documents=directory("results/{dataset}/documents"),
    log:
        "results/logs/inject/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(INJECTED),
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        rate=of_dataset("rate"),
        n_words=of_dataset("n_words"),
        random_states=states_for("inject"),
    message:
        "Injecting topics into {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics inject --documents {input.documents:q}"
        " --topics {input.topics:q} --rate {params.rate} --n-words {params.n_words}"
        " --random-state {params.random_states} --out {output.documents:q} &> {log:q}"


rule read_labelled:
    input:
        file=file_of_dataset("file"),
        library=modules("text", "contract"),
        environment=environments("study"),
    output:
        documents=directory("results/{dataset}/documents"),
    log:
        "results/logs/read_labelled/{dataset}.log",
    wildcard_constraints:
        dataset=any_of(LABELLED),
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        text_column=of_dataset("text_column"),
        labels=label_options,
        stop_words=of_dataset("stop_words"),
        lemmas=of_dataset("lemmas"),
    message:
        "Reading {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics read_labelled {input.file:q}"
        " --text-column {params.text_column:q} {params.labels} --stop-words {params.stop_words}"
        " --lemmas {params.lemmas} --out {output.documents:q} &> {log:q}"


rule vectorise:
    input:
        documents="results/{dataset}/documents",
        seed_words=file_of_dataset("seed_words"),
        topics=topics_file,
        library=modules("text", "inject", "corpus", "contract"),
        environment=environments("study"),
    output:
        corpora=directory("results/{dataset}/corpus"),
    log:
        "results/logs/vectorise/{dataset}.log",
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        topics=topics_option,
        min_df=of_dataset("min_df"),
        max_df=of_dataset("max_df"),
        seeds=seed_options,
    message:
        "Matrices of {wildcards.dataset}"
    shell:
        "{params.python} -m minority_topics vectorise {input.documents:q}"
        " --seed-words {input.seed_words:q} {params.topics}"
        " --min-df {params.min_df} --max-df {params.max_df} {params.seeds}"
        " --out {output.corpora:q} &> {log:q}"
