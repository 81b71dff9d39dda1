"""Speed and memory, measured on whole processes: `make benchmark`."""
