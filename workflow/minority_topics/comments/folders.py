"""What the steps from comments to answers leave: one folder a step, and the files in it.

Every step writes its folder whole, and a manifest last. Row i of every file is comment i of
`comments.parquet`; topics are numbered from 1 for readers and from 0 in arrays.
"""

# Of `read_comments`: the comments that are kept, and the forms of their words as numbers, which may
# have a folder of their own.
COMMENTS = "comments.parquet"
INPUT_REPORT = "input_report.csv"
READING = "reading.json"
FORMS = "forms.txt"
FORM_NUMBERS = "forms.npy"
OFFSETS = "offsets.npy"
OF_FORMS = (FORMS, FORM_NUMBERS, OFFSETS)

# Of `vectorise_comments`: matrices over the vocabulary, and what became of the seed words.
COUNTS = "counts.npz"
TFIDF = "tfidf.npz"
VOCABULARY = "vocabulary.txt"
SEED_COLUMNS = "seed_columns.npy"
SEED_WORDS = "seed_words.csv"
SEED_FORMS = "seed_forms.txt"
CLEANING = "cleaning.json"
IDF = "idf.npy"
ENCODER = "encoder.json"

# Of `fit_comments`: the model, its topics in every comment, and what learnt guidance thinks.
MODEL = "model.json"
ARRAYS = "model.npz"
DOC_TOPIC = "doc_topic.npz"
FIT = "fit.json"
GUIDANCE = "guidance.npz"

# Of `answer`: tables for readers.
TOPICS = "topics.csv"
TOPIC_WORDS = "topic_words.csv"
EXAMPLES = "examples.csv"
TRENDS = "trends.csv"
GROUPS = "groups.csv"
TOPIC_MAP = "topic_map.csv"
SUGGESTED_WORDS = "suggested_words.csv"
SEED_FREE = "seed_free_sample.csv"
DISCOVERED_WORDS = "discovered_words.csv"
RELEASED = "released_comments.csv"
CAPPED = "capped_comments.csv"
SUMMARY = "summary.json"
DOCUMENTS = "documents.parquet"

# Of an analyst: names, merges and drops of topics, beside these folders.
NAMES = "topics.yaml"
