#!/usr/bin/env python3
"""The module of an installed wheel, asked what it promises: module.py, at the repository's root with parplan on the
PATH. Ends with "N passed, N failed"."""
import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import unittest

import parplan
from parplan import _ask, _decode

KINDS = {"check": parplan.Report, "plan": parplan.Plan, "sim": parplan.Forecast, "search": parplan.Search}
MISTAKE = "plans/mistake-degrees.yaml"


def plain(value):
    """As JSON has it, without what is absent."""
    if isinstance(value, dict):
        return {key.rstrip("_"): plain(each) for key, each in value.items() if each is not None}
    return [plain(each) for each in value] if isinstance(value, list) else value


class Answers(unittest.TestCase):
    def test_dataclasses_hold_all_that_commands_print(self):
        with open("tests/schemas/commands", encoding="utf-8") as file:
            rows = [line.strip().split(None, 1) for line in file]
        for kind, command in [row for row in rows if row and row[0] in KINDS]:
            with self.subTest(command):
                text = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, check=False).stdout.decode()
                self.assertEqual(plain(json.loads(text)), plain(dataclasses.asdict(_decode.answer(KINDS[kind], text))))

    def test_members_that_are_not_known_are_passed_over(self):
        text = subprocess.run([parplan.program(), "plan", "--format=json", "plans/ddp-8.yaml"], stdout=subprocess.PIPE,
                              check=True).stdout.decode()
        later = dict(json.loads(text), added={"later": [1]})
        self.assertEqual(parplan.plan("plans/ddp-8.yaml"), _decode.answer(parplan.Plan, json.dumps(later)))

    def test_another_form_is_no_answer(self):
        for text in "[]", "{}", '{"schema": "parplan.check/9"}', "parplan", '{"schema": 1, "files": 3, "summary": 4}':
            with self.subTest(text), self.assertRaises(parplan.UnexpectedOutput):
                _decode.answer(parplan.Report, text)


class Functions(unittest.TestCase):
    def test_check(self):
        report = parplan.check([MISTAKE, "plans/hsdp-2x8.yaml"])
        self.assertEqual([file.path for file in report.files], [MISTAKE, "plans/hsdp-2x8.yaml"])
        self.assertEqual(report.files[0].findings[0].rule, "degrees-product")
        self.assertEqual(report.files[0].findings[0].span.line, 8)
        self.assertEqual(report.summary.errors, 2)

    def test_plan_of_a_job_that_raises(self):
        self.assertEqual(parplan.plan(MISTAKE).error.type, "AssertionError")
        self.assertIsNone(parplan.sim(MISTAKE).step_time_s)

    def test_plans_of_several(self):
        plans = parplan.plans(["plans/ddp-8.yaml", "testdata/folder"], world=16)
        self.assertEqual([plan.path for plan in plans],
                         ["plans/ddp-8.yaml", "testdata/folder/heads.toml", "testdata/folder/shard.yaml"])
        self.assertEqual(parplan.plans("plans/ddp-8.yaml"), [parplan.plan("plans/ddp-8.yaml")])

    def test_sim_and_search(self):
        step = parplan.sim("plans/hsdp-2x8.yaml").step_time_s
        best = parplan.search("plans/hsdp-2x8.yaml", options=["--top=1", "--fix=dp_shard=8", "--fix=pp=1"]).plans[0]
        self.assertTrue(0 < best.step_time_s <= step)

    def test_options(self):
        asked = dict(world=64, framework=["torchtitan@v0.2.0", "torch@2.9"], settings={"parallelism.tp": 2}, config=False)
        plan = parplan.plan(text="parplan: 1\nmodel: llama3-8b\n", **asked)
        self.assertEqual((plan.world_size, plan.degrees["tp"], plan.framework[0].version), (64, 2, "v0.2.0"))

    def test_settings_are_data(self):
        for value in "a: {b", "[1", "'", "8 # no", "line\nline", "${HOME}":
            with self.subTest(value):
                report = parplan.check(text="parplan: 1\nworld: 8\n", settings={"model": value})
                said = [finding.message for finding in report.files[0].findings if finding.rule != "not-judged"]
                self.assertTrue(any("model" in message for message in said), said)

    def test_flags_of_the_framework(self):
        flags = ["torchrun", "--nproc_per_node=8", "train.py", "--parallelism.tensor_parallel_degree=2"]
        plan = parplan.plan("testdata/project/train.toml", flags=flags)
        self.assertEqual((plan.world_size, plan.degrees["tp"]), (8, 2))

    def test_names_are_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "--help.yaml", "-", "--", "-q", "--write-baseline=z.yaml":
                with open(MISTAKE, encoding="utf-8") as source, open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(source.read())
                with self.subTest(name):
                    self.assertEqual(parplan.check(name, cwd=folder).summary.errors, 2)
            self.assertFalse(os.path.exists(os.path.join(folder, "z.yaml")))

    def test_failures(self):
        with self.assertRaises(parplan.CommandFailed) as caught:
            parplan.plan("plans/nowhere.yaml")
        self.assertEqual(caught.exception.status, 2)
        self.assertIn("plans/nowhere.yaml", str(caught.exception))
        with self.assertRaises(parplan.CommandFailed):
            parplan.check(MISTAKE, options=["--no-such-option"])
        with self.assertRaises(TypeError):
            parplan.check(MISTAKE, wrld=64)
        with self.assertRaises(subprocess.TimeoutExpired):
            parplan.check(MISTAKE, timeout=0)


class Program(unittest.TestCase):
    def test_it_is_that_of_the_installation(self):
        prefix = os.path.dirname(parplan.__file__).rsplit("/lib/", 1)[0]
        self.assertEqual(parplan.program(), os.path.join(prefix, "bin", "parplan"))
        self.assertIn("parplan ", parplan.run("--version").stdout)

    def test_nobody_has_it(self):
        lone = "import os, parplan\nos.access = lambda *_: False\nos.environ['PATH'] = ''\nparplan.program()"
        ended = subprocess.run([sys.executable, "-c", lone], stderr=subprocess.PIPE, check=False)
        self.assertIn(b"ProgramNotFound", ended.stderr)

    def test_python_m_is_the_program(self):
        for words in ["check", MISTAKE], ["plan", "plans/ddp-8.yaml"], ["check", "plans/nowhere.yaml"]:
            one, other = (subprocess.run(command + words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
                          for command in ([sys.executable, "-m", "parplan"], [parplan.program()]))
            self.assertEqual((one.returncode, one.stdout), (other.returncode, other.stdout))

    def test_the_words_of_a_command_line(self):
        said = []
        run, _ask.run = _ask.run, lambda *words, **_: said.append(words) or subprocess.CompletedProcess(words, 0, "{}", "")
        self.addCleanup(setattr, _ask, "run", run)
        _ask.ask("check", "a", text="", env={"A": "=1"}, dialect="megatron", launcher="run.sh", config="p.yaml", flags=["--x"])
        self.assertEqual(said[0], ("check", "--format=json", "--env=A==1", "--dialect=megatron", "--launcher=run.sh",
                                   "--config=p.yaml", "a", "-", "--", "--x"))


result = unittest.main(exit=False, verbosity=0).result
failed = len(result.failures) + len(result.errors)
print("%d passed, %d failed" % (max(result.testsRun - failed, 0), failed))
sys.exit(failed > 0)
