"""Tables and figures, from the scores and the statistics of the logs alone."""
