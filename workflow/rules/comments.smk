# Own comments: one rule a step. What a step prints goes to the terminal and to its log. On a
# cluster all steps but the page are submitted.


rule read_comments:
    input:
        files=own_files,
        library=modules("comments.steps", "comments.reading"),
        environment=environments("comments"),
    output:
        folder=directory(OWN_COMMENTS),
        forms=directory(OWN_FORMS),
    log:
        log_file("read_comments", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(own_by_texts(True)),
    conda:
        "../../envs/comments.yaml"
    threads: own_threads
    resources:
        mem_mb=own_memory,
        cpus_per_task=own_threads,
    params:
        python=python_of("comments"),
        settings=own_settings(keys.READING),
    message:
        "Reading the comments of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics --log {log:q} read_comments {input.files:q}"
        " --settings {params.settings:q} --out {output.folder:q} --forms {output.forms:q}"


# Words in their order are a text: where texts are not kept, they go as soon as they are counted.
use rule read_comments as read_comments_without_texts with:
    output:
        folder=directory(OWN_COMMENTS),
        forms=temp(directory(OWN_FORMS)),
    wildcard_constraints:
        dataset=any_of(own_by_texts(False)),


rule vectorise_comments:
    input:
        forms=rules.read_comments.output.forms,
        seed_words=own_file("seed_words"),
        stop_words=own_file("stop_words"),
        library=modules("comments.steps", "comments.matrix"),
        environment=environments("comments"),
    output:
        folder=directory(OWN_MATRIX),
    log:
        log_file("vectorise_comments", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(OWN),
    conda:
        "../../envs/comments.yaml"
    threads: own_threads
    resources:
        mem_mb=own_memory,
        cpus_per_task=own_threads,
    params:
        python=python_of("comments"),
        settings=own_settings(keys.VECTORISING),
    message:
        "Words and seed words of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics --log {log:q} vectorise_comments"
        " --comments {input.forms:q} --seed-words {input.seed_words:q}"
        " --settings {params.settings:q} --out {output.folder:q}"


rule fit_comments:
    input:
        matrix=rules.vectorise_comments.output.folder,
        word_vectors=own_file("word_vectors"),
        library=modules("comments.steps", "comments.fitting"),
        environment=environments("comments"),
    output:
        folder=directory(OWN_MODEL),
    log:
        log_file("fit_comments", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(OWN),
    conda:
        "../../envs/comments.yaml"
    threads: own_threads
    resources:
        mem_mb=own_memory,
        runtime=own_runtime,
        cpus_per_task=own_threads,
    params:
        python=python_of("comments"),
        settings=own_settings(keys.FITTING),
    message:
        "Topics of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics --log {log:q} fit_comments --matrix {input.matrix:q}"
        " --settings {params.settings:q} --out {output.folder:q}"


rule answer:
    input:
        comments=rules.read_comments.output.folder,
        matrix=rules.vectorise_comments.output.folder,
        model=rules.fit_comments.output.folder,
        library=modules("comments.steps", "comments.answers"),
        environment=environments("comments"),
    output:
        folder=directory(OWN_TABLES),
    log:
        log_file("answer", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(OWN),
    conda:
        "../../envs/comments.yaml"
    threads: own_threads
    resources:
        mem_mb=own_memory,
        cpus_per_task=own_threads,
    params:
        python=python_of("comments"),
        settings=own_settings(keys.ANSWERING),
        topics=OWN_TOPICS,
        # An edit of the file of names makes the answers anew; a new template says nothing.
        edits=topic_edits,
    message:
        "Tables of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics --log {log:q} answer --comments {input.comments:q}"
        " --matrix {input.matrix:q} --model {input.model:q} --topics {params.topics:q}"
        " --name {wildcards.dataset:q} --settings {params.settings:q}"
        " --out {output.folder:q}"


rule explorer:
    input:
        tables=rules.answer.output.folder,
        library=modules("report.explorer", "report.templates"),
        environment=environments("comments"),
    output:
        page=EXPLORER,
    log:
        log_file("explorer", "{dataset}"),
    wildcard_constraints:
        dataset=any_of(OWN),
    localrule: True
    conda:
        "../../envs/comments.yaml"
    params:
        python=python_of("comments"),
    message:
        "Page of {wildcards.dataset}"
    shell:
        "{params.python:q} -m minority_topics --log {log:q} explorer --tables {input.tables:q}"
        " --title {wildcards.dataset:q} --out {output.page:q}"
