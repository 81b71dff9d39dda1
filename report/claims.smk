"""The claims of the configuration, and what they are checked against."""

from difflib import get_close_matches

from data.datasets import published
from report.claims import ClaimError, check_cells, read_claims


def claim_file(name):
    """A file of claims: one's own, or one of the project by its bare name."""
    return name if name.endswith(".csv") else project_path("config", "claims", f"{name}.csv")


CLAIM_FILES = [claim_file(name) for name in config["claims"]]
try:
    CLAIMS = read_claims(CLAIM_FILES, [*published(), *config["datasets"]])
except (ClaimError, OSError) as error:
    raise WorkflowError(f"claims cannot be read:\n{error}") from None
WANTED_LOGS += [log for claim in CLAIMS for log in claim.logs]


def check_claims():
    """Refuse claims of what there is not; the rules must have been read."""
    try:
        check_cells(CLAIMS, GRIDS)
    except ClaimError as error:
        raise WorkflowError(f"claims that cannot be checked:\n{error}") from None


def files_of_claims(claims):
    """The files that hold the values of claims, of those that can be compared and whose logs can be had."""
    return list(
        dict.fromkeys(
            file.format(repeat=repeat)
            for claim in claims
            if not claim.unlike and not set(claim.logs) & set(UNAVAILABLE)
            for file in [*claim.files, *claim.other_files]
            for repeat in range(config["repeats"] if "{repeat}" in file else 1)
        )
    )


def all_claimed(wildcards):
    """The files behind all claims."""
    if not CLAIMS:
        raise WorkflowError("the configuration names no claims; add `claims: [...]`, see config/schema.yaml")
    return files_of_claims(CLAIMS)


def claimed(wildcards):
    """The files behind one claim, and the descriptions of its logs."""
    [claim] = [claim for claim in CLAIMS if claim.id == wildcards.id]
    logs = [] if claim.unlike else [log for log in claim.logs if log not in UNAVAILABLE]
    return files_of_claims([claim]) + [f"results/logs/{log}/statistics.json" for log in logs]


def wanted_claim(wildcards):
    """The account of the claim that the command line names."""
    known, wanted = [claim.id for claim in CLAIMS], str(config.get("id", "ID"))
    if wanted not in known:
        close = get_close_matches(wanted, known) or known[:3] or ["none"]
        raise WorkflowError(f"--config id={wanted}: name a claim of {', '.join(CLAIM_FILES)}, like {', '.join(close)}")
    return f"results/claims/{wanted}.md"
