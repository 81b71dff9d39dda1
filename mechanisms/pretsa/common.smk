"""Which embedding a run of PRETSA takes: one of three, turn by turn, as its training is random too."""

EMBEDDING_SEEDS = (1, 2, 3)


def embedding_file(wildcards):
    """The embedding of a run, if its distance needs one."""
    if wildcards.distance != "embedding":
        return []
    seed = EMBEDDING_SEEDS[int(wildcards.repeat) % len(EMBEDDING_SEEDS)]
    return f"results/embeddings/{wildcards.log}/seed={seed}.json"


def embedding_option(wildcards):
    """The same as an option of the command line."""
    return [f"--embedding {file}" for file in [embedding_file(wildcards)] if file]
