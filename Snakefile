from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


# Only where no other is given: Snakemake would merge the two.
if not workflow.config_settings.configfiles:

    configfile: Path(workflow.basedir) / "config" / "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/envs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/figures.smk"


# On a cluster only fits are submitted: all else takes seconds, and environments must be there first.
localrules:
    all,
    all_verdicts,
    background,
    build_env,
    compare,
    envs,
    figure,
    inject,
    read_labelled,
    report,
    resources,
    score,
    topics,
    trajectory,
    vectorise,
    verdicts,


# Every fit is listed, not only the figures: a failing rerun must never leave old numbers behind.
rule all:
    default_target: True
    input:
        all_fits(),
        all_results(),


onstart:
    for name in CONFIG["datasets"]:
        save_config(name)
