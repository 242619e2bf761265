# The corpora: background, injected topics, matrices.


rule background:
    input:
        source=background_file,
        library=modules("corpus.drawing"),
        environment=environments("study"),
    output:
        documents=directory(BACKGROUND),
    log:
        log_file("background", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(INJECTED),
    localrule: True
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
        "{params.python:q} -m minority_topics background --source={params.source:q}"
        " --n-documents {params.n_documents:q} --random-state {params.random_states:q}"
        " --text-column={params.text_column:q} --stop-words={params.stop_words:q}"
        " --lemmas={params.lemmas:q} --out {output.documents:q} &> {log:q}"


rule inject:
    input:
        documents=background_of,
        topics=file_of_dataset("topics"),
        library=modules("corpus.injection"),
        environment=environments("study"),
    output:
        documents=directory(DOCUMENTS),
    log:
        log_file("inject", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(INJECTED),
    localrule: True
    conda:
        "../../envs/study.yaml"
    params:
        python=python_of("study"),
        rate=of_dataset("rate"),
        n_words=of_dataset("n_words"),
        overlap=of_dataset("overlap"),
        random_states=states_for("inject"),
    message:
        "Injecting topics into {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics inject --documents {input.documents:q}"
        " --topics {input.topics:q} --rate {params.rate:q} --n-words {params.n_words:q}"
        " --overlap {params.overlap:q} --random-state {params.random_states:q}"
        " --out {output.documents:q} &> {log:q}"


rule read_labelled:
    input:
        file=file_of_dataset("file"),
        library=modules("corpus.labelled"),
        environment=environments("study"),
    output:
        documents=directory(DOCUMENTS),
    log:
        log_file("read_labelled", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(LABELLED),
    localrule: True
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
        "{params.python:q} -m minority_topics read_labelled {input.file:q}"
        " --text-column={params.text_column:q} {params.labels:q} --stop-words={params.stop_words:q}"
        " --lemmas={params.lemmas:q} --out {output.documents:q} &> {log:q}"


rule vectorise:
    input:
        documents=documents_of,
        seed_words=file_of_dataset("seed_words"),
        topics=topics_file,
        library=modules("corpus.vectorise"),
        environment=environments("study"),
    output:
        corpora=directory(CORPORA),
    log:
        log_file("vectorise", "{dataset}"),
    localrule: True
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
        "{params.python:q} -m minority_topics vectorise {input.documents:q}"
        " --seed-words {input.seed_words:q} {params.topics:q}"
        " --min-df {params.min_df:q} --max-df {params.max_df:q} {params.seeds:q}"
        " --out {output.corpora:q} &> {log:q}"
