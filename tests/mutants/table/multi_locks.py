"""Several locks as one."""
MUTANTS = []
