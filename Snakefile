from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")


# Only where no other is given: Snakemake would merge the two.
if not workflow.config_settings.configfiles:

    configfile: Path(workflow.snakefile).parent / "config" / "config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/envs.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/fit.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/comments.smk"


# Every fit is listed, not only the figures: a failing rerun must never leave old numbers behind.
rule all:
    default_target: True
    input:
        all_fits(),
        all_results(),
        whole_results,
    localrule: True
