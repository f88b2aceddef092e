"""hyppo's own tests, run against our classes; docs/how-to/hyppo.md lists those that fail, and why."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "how-to" / "hyppo.md"

# Their tests that fail here, and why.
EXCEPTIONS = {
    "TestKMERFStat::test_oned[linear-0.26096478961164743-2.210668062138582e-07]": "their p-value is not valid",
    "TestKMERFStat::test_oned[spiral-0.038750928574255245-0.031366764487060314]": "their p-value is not valid",
    "TestKSample::test_maxmargin": "the maximal margin test is none of ours",
}
FILES = [
    *(
        f"hyppo.independence.tests.test_{name}"
        for name in ("cca", "dcorr", "hhg", "hhgfast", "hsic", "kmerf", "mgc", "rvcorr")
    ),
    "hyppo.ksample.tests.test_ksamp",
]


def outcomes(modules, folder):
    """Run some of their files in a process of its own; return what became of each test."""
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "hyppo_replaced", "-p", "no:cacheprovider", "-W", "ignore"]
    known = [str(HERE), str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, known))}
    arguments = ["--pyargs", *modules, f"--junitxml={report}", "--rootdir", str(folder)]
    done = subprocess.run([*command, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert report.exists(), done.stdout + done.stderr
    found = {"passed": set(), "failed": set(), "skipped": set()}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{(case.get('classname') or '').split('.')[-1]}::{case.get('name')}"
        tags = {child.tag for child in case}
        found["failed" if tags & {"failure", "error"} else "skipped" if "skipped" in tags else "passed"].add(name)
    return found


@pytest.mark.slow
def test_hyppos_own_tests_pass_but_for_those_that_are_listed(tmp_path, hyppo):
    if find_spec("hyppo.independence.tests") is None:
        pytest.skip("this installation of hyppo came without its tests")
    found = outcomes(FILES, tmp_path)
    assert found["failed"] == set(EXCEPTIONS)
    passed = {name.split("::")[0] for name in found["passed"]}
    for name in FILES:
        source = Path(find_spec(name).origin).read_text(encoding="utf-8")
        assert passed & set(re.findall(r"^class (Test\w+)", source, flags=re.MULTILINE)), name


def test_our_classes_do_take_the_place_of_theirs(tmp_path, hyppo):
    """The quickest of their files, with a test that only our class can fail or pass."""
    (tmp_path / "test_ours.py").write_text(
        "from hyppo.independence import Dcorr\nfrom hyppo.ksample import KSample\nfrom hyppo.tools import power\n\n\n"
        "def test_modules():\n"
        "    assert Dcorr.__module__ == 'kmerf.compat.hyppo.independence'\n"
        "    assert KSample.__module__ == 'kmerf.compat.hyppo.ksample'\n"
        "    import sys\n"
        "    assert sys.modules['hyppo.tools.power'].INDEP_TESTS['dcorr'] is Dcorr\n"
        "    assert sys.modules['hyppo.tools.power'].KSample is KSample\n",
        encoding="utf-8",
    )
    assert outcomes(["test_ours.py"], tmp_path)["passed"] == {"test_ours::test_modules"}


def test_only_the_plugin_puts_ours_in_the_place_of_theirs(hyppo):
    """Else the tests that compare with hyppo would compare ours with ours."""
    import hyppo_replaced

    assert hyppo_replaced.ours.Dcorr is not hyppo.independence.Dcorr
    homes = {getattr(hyppo.independence, name).__module__ for name in hyppo_replaced.ours.independence.__all__}
    assert all(home.startswith("hyppo.") for home in homes | {hyppo.ksample.KSample.__module__})


def test_the_page_lists_the_exceptions():
    page = PAGE.read_text(encoding="utf-8")
    for name in EXCEPTIONS:
        assert f"`{name.split('[')[0]}`" in page
