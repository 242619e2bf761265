from snakemake.utils import min_version

min_version("9.0")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/envs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/figures.smk"


localrules:
    all,
    build_env,


# Every fit is listed, not only the figures: a failing rerun must never leave old numbers behind.
rule all:
    default_target: True
    input:
        all_fits(),
        all_figures(),
