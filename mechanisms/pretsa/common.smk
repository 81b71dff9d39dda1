"""What runs of PRETSA share, so that their repeats can be compared: the order of cases, and one of three embeddings."""

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


def bounds_file(wildcards):
    """The file of the public bounds of durations, if the run draws noise and the configuration names one for the log."""
    if wildcards.duration_epsilon == "off":
        return []
    return config["public_bounds"].get(whole(wildcards.log), {}).get("duration_bounds", [])


def bounds_option(wildcards):
    """The same as an option of the command line."""
    return [f"--duration-bounds {file}" for file in [bounds_file(wildcards)] if file]


def case_order(wildcards):
    """The seed of the order in which a run takes the cases: the same for all parameters."""
    return seed_of(config["seed"], "pretsa", "order", wildcards.log, wildcards.repeat)
