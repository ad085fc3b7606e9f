# Filled in by the installation rules.
