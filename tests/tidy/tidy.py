"""Checks the tree against the rules: python3 tests/tidy/tidy.py [ROOT]. Prints what it finds; exit status 1 if there is any."""

import os
import sys

import habits
import layers
from tree import Tree

RULES = layers.RULES + habits.RULES


def main(arguments):
    root = arguments[1] if len(arguments) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    tree = Tree.read(root)
    findings = [finding for rule in RULES for finding in rule(tree)]
    for finding in findings:
        print(finding)
    print(f"{len(tree.files)} files, {len(RULES)} rules, {len(findings)} findings")
    return 1 if findings or not tree.cpp("src/") else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
