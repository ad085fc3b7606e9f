"""Judges generated mutants: by proofs from cheap to expensive, in a copy of the tree."""
import hashlib
import json
import re
import time

import isolated
from proofs import for_file, what_failed
from tree_copy import files_under
from workshop import Useless, Workshop


class Judge(Workshop):
    def __init__(self, root, number, all_proofs):
        super().__init__(root, f"generated-{number}")
        self.all_proofs = all_proofs
        self.left_out = {}  # of each suite: the tests that fail on the sound tree
        self.sound_product = None

    def command(self, proof, excused=()):
        words = list(proof.command)
        if proof.is_suite:
            patterns = [f"^{re.escape(name)}$" for name in [*self.left_out.get(proof.name, []), *excused]]
            patterns += [proof.but] if proof.but else []
            return words + (["-E", "|".join(patterns)] if patterns else [])
        return [self.made / words[0], *words[1:]]

    def run(self, proof, words):
        return isolated.run(words, self.log, proof.seconds, self.made, few_threads=not proof.is_suite)

    def try_sound_tree(self, tell, suites=True):
        """What fails without a mutant says nothing about one. Tells a line for each, none if this tree has been tried.

        Without `suites` only what computes is tried, which takes a minute or two.
        """
        kept = self.folder.parent / ("generated-sound.json" if suites else "generated-sound-computing.json")
        digest = self.digest()
        known = json.loads(kept.read_text()) if kept.exists() else {}
        if known.get("digest") == digest:
            self.left_out = known["left_out"]
            return
        for proof in (one for one in self.all_proofs if suites or not one.is_suite):
            if wrong := self.build(proof.targets, mutated=False):
                raise Useless(wrong)
            words = [word for word in self.command(proof) if word != "--stop-on-failure"]
            began = time.monotonic()
            status = self.run(proof, words)
            took = time.monotonic() - began
            if status != 0 and not proof.is_suite:
                raise Useless(f"{proof.name} fails on the sound tree ({status}): see {self.log}")
            if status == isolated.LATE:
                raise Useless(f"{proof.name} takes more than {proof.seconds} s on the sound tree")
            if status != 0:
                failed = re.findall(r"^\t *\d+ - (\S+) \(", self.log.read_text(errors="replace"), re.M)
                if not failed:
                    raise Useless(f"{proof.name} fails on the sound tree: see {self.log}")
                self.left_out[proof.name] = failed
            left = f", without {', '.join(self.left_out[proof.name])}" if proof.name in self.left_out else ""
            tell(f"{proof.name}: {took:.1f} s{left}")
        kept.write_text(json.dumps({"digest": digest, "left_out": self.left_out}))

    def digest(self):
        """Of the tree and of the proofs."""
        sum_of_all = hashlib.sha256(repr(self.all_proofs).encode())
        for path in sorted(files_under(self.copy)):
            if path.parts[0] != "build":
                sum_of_all.update(str(path).encode() + b"\0" + (self.copy / path).read_bytes())
        return sum_of_all.hexdigest()

    # What users get: if a mutant leaves it as it is, byte for byte, there is nothing to judge.
    PRODUCT = ("redlatch_static", "redlatch_cli"), ("libredlatch.a", "cli/redlatch")

    def product(self):
        return [hashlib.sha256((self.made / name).read_bytes()).digest() for name in self.PRODUCT[1]]

    def judge(self, change, suites):
        """(verdict, the proof, what it saw), by the suites or by the others: found, survived, invalid or equal."""
        if not self.sound_product:
            if wrong := self.build(self.PRODUCT[0], mutated=False):
                raise Useless(wrong)
            self.sound_product = self.product()
        with self.broken(change.path, change.apply):
            if self.build(self.PRODUCT[0], mutated=True):
                return "invalid", "", "does not compile"
            if self.product() == self.sound_product:
                return "equal", "", "the same machine code"
            for proof in for_file(change.path, self.all_proofs):
                if proof.is_suite != suites:
                    continue
                if self.build(proof.targets, mutated=True):
                    return "invalid", proof.name, "does not compile"
                if what := self.saw(proof):
                    return "found", proof.name, what
            return "survived", "", ""

    def saw(self, proof):
        """What this proof says against the mutant. Failing once is no verdict: what failed is done again."""
        excused = []
        while True:
            words = self.command(proof, excused)
            status = self.run(proof, words)
            if status == 0:
                return ""
            said = what_failed(self.log.read_text(errors="replace"))
            if status == isolated.LATE and not proof.is_suite:
                return "does not end"
            if "seeds" in proof.name or "orders" in proof.name:  # the same each time
                return said or f"status {status}"
            if proof.is_suite and status != isolated.LATE:
                words = ["ctest", "--rerun-failed", "-j2", "--timeout", "60"]
            status = self.run(proof, words)
            if status != 0:
                return "does not end" if status == isolated.LATE else said or f"status {status}"
            if not proof.is_suite or not said or said in excused:
                return ""
            excused.append(said)
