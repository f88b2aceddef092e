"""Studies: what they compute does not depend on how, and nothing stops them for good."""

import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import kmerf
from kmerf import KMERF, ChiSquare, ForestSpec, InputError, KmerfError, Permutation, rivals, simulations, study
from kmerf.methods.protocol import Fit
from kmerf.nulls.multiplicity import holm
from kmerf.study import design, execute, version
from kmerf.study import sqlite_store as store
from kmerf.study.design import canonical
from kmerf.study.estimate import bootstrap, cutoff
from kmerf.study.intervals import wilson
from kmerf.study.replicate import Batch, Item, streams


@dataclass(frozen=True)
class Slope:
    """|corr(x1, y1)| plus a little of the seed; as slow as one likes."""

    seconds: float = 0.0
    fail: bool = False

    name = "Slope"

    def prepare(self, sample, seed):
        if self.fail:
            raise ZeroDivisionError("no slope")
        if self.seconds:
            time.sleep(self.seconds)
        return SlopeProblem(sample.x.values[:, 0], sample.y.values[:, 0], seed)


@dataclass(frozen=True)
class SlopeProblem:
    x: np.ndarray
    y: np.ndarray
    seed: int

    @property
    def n(self):
        return len(self.x)

    def fit(self, order, refit, n_jobs=1, reasons=False):
        assert n_jobs == 1
        x, y = self.x - self.x.mean(), self.y[order] - self.y.mean()
        slope = abs(float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())))
        return Fit.of("slope", slope + 1e-6 * (self.seed % 997))

    def doubts(self):
        return None


LINEAR = study.Simulated("linear", n=20, p=2)
SPIRAL = study.Simulated("spiral", n=20, p=2, kappa=0.0, definition="published")
TURNED = study.Rotated("linear", n=10, p=2, angle="random")
MIXED = study.Mixed("claw", n=10, p=2)
PLAN = study.Study(
    tests={"KMERF": KMERF(ForestSpec(n_trees=10)), "slope": Slope()},
    data=[LINEAR, SPIRAL, TURNED, MIXED],
    replicates=25,
    seed=3,
    pvalue={"KMERF": Permutation(3), "slope": ChiSquare()},
)
SLOW = study.Study({"slow": Slope(0.01), "quick": Slope()}, [LINEAR, SPIRAL, TURNED], replicates=80, seed=3)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """PLAN, computed the plain way."""
    path = tmp_path_factory.mktemp("plain") / "plan.sqlite"
    assert study.run(PLAN, path, n_jobs=1, backend="threads") == 2 * 4 * 25
    return study.load(path)


@pytest.fixture(scope="module")
def slow_rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "slow.sqlite"
    study.run(SLOW, path, n_jobs=4, backend="threads")
    return study.load(path)


def execute_slow(path, backend="threads", n_jobs=1):
    """What the child processes of these tests do."""
    store.LEASE = 1.0
    signal.signal(signal.SIGINT, signal.default_int_handler)
    print(study.run(SLOW, path, n_jobs=n_jobs, backend=backend), flush=True)


def child(path, *options):
    call = f"import test_study; test_study.execute_slow({str(path)!r}, *{options!r})"
    places = [str(Path(__file__).parent), str(Path(kmerf.__file__).parent.parent)]
    return subprocess.Popen(
        [sys.executable, "-c", call],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that a kill reaches its workers as well
    )


def count(path):
    try:
        return len(study.load(path)["replicate"])
    except InputError:  # not made yet
        return 0


def wait_for(path, least):
    end = time.monotonic() + 30
    while count(path) < least:
        assert time.monotonic() < end, f"{count(path)} rows after 30 seconds"
        time.sleep(0.05)


# --- the same rows, however they come about ---------------------------------------------------------------------------


@pytest.mark.parametrize(("n_jobs", "backend"), [(3, "threads"), (2, "loky"), (1, "loky")])
def test_rows_do_not_depend_on_workers_or_back_end(tmp_path, rows, n_jobs, backend):
    study.run(PLAN, tmp_path / "a.sqlite", n_jobs=n_jobs, backend=backend)
    assert study.load(tmp_path / "a.sqlite") == rows


@pytest.mark.parametrize(("round_", "batch", "probe"), [(0.01, 0.001, 1), (0.1, 1e-6, 5), (100.0, 100.0, 2)])
def test_rows_do_not_depend_on_the_size_of_batches(tmp_path, rows, monkeypatch, round_, batch, probe):
    monkeypatch.setattr(execute, "ROUND", round_)
    monkeypatch.setattr(execute, "BATCH", batch)
    monkeypatch.setattr(execute, "PROBE", probe)
    study.run(PLAN, tmp_path / "a.sqlite", n_jobs=2, backend="threads")
    assert study.load(tmp_path / "a.sqlite") == rows


def test_rows_do_not_depend_on_order_or_labels_or_company(tmp_path, rows):
    path = tmp_path / "a.sqlite"
    one = replace(PLAN, tests={"s": Slope()}, data=PLAN.data[:2], replicates=10, pvalue={"s": ChiSquare()})
    turned = replace(PLAN, data=PLAN.data[::-1], tests=dict(reversed(PLAN.tests.items())))
    assert study.run(one, path, n_jobs=1, backend="threads") == 20
    assert study.run(turned, path, n_jobs=1, backend="threads") == 200 - 20
    assert study.load(path) == rows


def test_a_finished_study_computes_nothing_and_a_larger_one_the_rest(tmp_path):
    path = tmp_path / "a.sqlite"
    small = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    assert [study.run(small, path, n_jobs=1) for _ in range(2)] == [5, 0]
    assert study.run(replace(small, replicates=8), path, n_jobs=1) == 3
    assert study.run(replace(small, tests={"a": Slope(), "b": Slope()}), path, n_jobs=1) == 0
    assert study.run(replace(small, seed=1), path, n_jobs=1) == 5


def test_nothing_in_the_rows_depends_on_time(rows):
    assert set(rows) == {
        "code",
        "test",
        "data",
        "seed",
        "replicate",
        "part",
        "level",
        "statistic",
        "permuted",
        "pvalue",
    }


# --- seeds ------------------------------------------------------------------------------------------------------------


def test_seeds_differ_between_studies_sources_and_replicates():
    seeds = [streams(s, canonical(d), r) for s in (0, 1) for d in PLAN.data for r in range(50)]
    assert len({seed for each in seeds for seed in each}) == 3 * len(seeds)
    assert all(0 <= each.method < 2**53 for each in seeds)


def test_all_tests_see_the_same_data_the_same_permutation_and_the_same_seed():
    @dataclass(frozen=True)
    class Spy:
        name: str
        seen: list

        def prepare(self, sample, seed):
            problem = Slope().prepare(sample, seed)
            self.seen.append((sample.x.values.tolist(), sample.y.values.tolist(), seed))
            return Listener(problem.x, problem.y, seed, self.seen)

    @dataclass(frozen=True)
    class Listener(SlopeProblem):
        seen: list

        def fit(self, order, refit, n_jobs=1, reasons=False):
            self.seen.append((order.tolist(), refit))
            return super().fit(order, refit, n_jobs)

    seen = {1: [], 2: []}
    tests = {k: design.StudyTest(Spy("spy", seen[k]), None) for k in seen}
    rows = Batch(LINEAR, 3, tests, [Item(0, (1, 2)), Item(1, (2, 1))], {1: "", 2: ""}, os.getpid(), 60.0)()
    assert seen[1] == seen[2]
    assert [row.cell for row in rows] == [1, 2, 2, 1]
    first, second = (entry for entry in seen[1] if len(entry) == 3)
    assert first[0] != second[0]
    assert first[2] != second[2]
    assert [refit for *_, refit in seen[1][1:3]] == [0, 1]  # observed, then permuted
    assert sorted(seen[1][2][0]) == list(range(20))
    assert seen[1][2][0] != list(range(20))


def test_a_row_is_what_the_library_gives_on_that_data(rows):
    at = [k for k, data in enumerate(rows["data"]) if '"Rotated"' in data and "KMERF" in rows["test"][k]][7]
    seeds = streams(3, canonical(TURNED), 7)
    a, b = simulations.rotated("linear", 10, 2, angle="random", rng=np.random.default_rng(seeds.data))
    result = kmerf.ksample(a, b, method=PLAN.tests["KMERF"], null=Permutation(3), rng=seeds.method)
    assert (rows["replicate"][at], rows["statistic"][at], rows["pvalue"][at]) == (7, result.statistic, result.pvalue)


# --- interruptions ----------------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("options", [("threads", 1), ("loky", 2)])
def test_a_killed_run_is_resumed_where_it_was(tmp_path, slow_rows, options):
    path = tmp_path / "a.sqlite"
    with child(path, *options) as first:
        wait_for(path, 60)
        os.killpg(first.pid, signal.SIGKILL)
    assert first.returncode == -signal.SIGKILL
    survived = count(path)
    assert 60 <= survived < 480
    with child(path) as second:
        out, err = second.communicate(timeout=30)
    assert (int(out), err) == (480 - survived, "")
    assert study.load(path) == slow_rows


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("options", [("threads", 1), ("threads", 2), ("loky", 2)])
def test_ctrl_c_keeps_what_is_done_and_gives_the_rest_back(tmp_path, slow_rows, options):
    path = tmp_path / "a.sqlite"
    with child(path, *options) as first:
        wait_for(path, 20)
        os.killpg(first.pid, signal.SIGINT)  # as a terminal does: to the workers as well
        out, err = first.communicate(timeout=10)
    assert out == ""
    assert "KeyboardInterrupt" in err
    assert 20 <= count(path) < 480
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT (SELECT COUNT(*) FROM lease), (SELECT COUNT(*) FROM run)").fetchone() == (
            0,
            0,
        )
    connection.close()
    study.run(SLOW, path, n_jobs=4, backend="threads")
    assert study.load(path) == slow_rows


def test_an_error_keeps_what_is_done_and_names_the_replicate(tmp_path):
    plan = study.Study({"bad": Slope(fail=True)}, [LINEAR], replicates=5)
    with pytest.raises(ZeroDivisionError, match="no slope") as caught:
        study.run(plan, tmp_path / "a.sqlite", n_jobs=1, backend="threads")
    assert caught.value.__notes__ == [f"in replicate 0 of {LINEAR}, with seed 0"]
    assert study.run(study.Study({"good": Slope()}, [LINEAR], replicates=5), tmp_path / "a.sqlite", n_jobs=1) == 5


def test_two_runs_on_one_file_share_the_work(tmp_path, slow_rows, monkeypatch):
    path = tmp_path / "a.sqlite"
    with child(path) as first, child(path) as second:
        answers = [each.communicate(timeout=40) for each in (first, second)]
    assert [err for _, err in answers] == ["", ""]
    added = [int(out) for out, _ in answers]
    assert sum(added) == 480  # none computed twice
    assert min(added) > 0
    assert study.load(path) == slow_rows


def test_many_runs_on_one_file_do_not_meet_a_locked_database(tmp_path, rows, monkeypatch):
    monkeypatch.setattr(execute, "ROUND", 0.01)  # claims and writes as often as can be
    monkeypatch.setattr(execute, "PROBE", 1)
    path, errors = tmp_path / "a.sqlite", []

    def go():
        try:
            study.run(PLAN, path, n_jobs=1, backend="threads")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=go) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert study.load(path) == rows


def test_leases_keep_others_off_until_they_lapse(tmp_path, monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(store.time, "time", lambda: now[0])
    with store.open_store(tmp_path / "a.sqlite", create=True) as here:
        here.sign("one")
        assert here.claim("one", [1, 2], 4, 3) == [Item(0, (1, 2)), Item(1, (1, 2)), Item(2, (1, 2))]
        here.sign("two")
        assert here.claim("two", [1, 2], 4, 3) == [Item(3, (1, 2))]
        assert here.claim("two", [2, 5], 2, 3) == [Item(0, (5,)), Item(1, (5,))]
        now[0] += store.LEASE + 1
        here.sign("two")  # late, but nobody has taken what it claimed
        assert [item.replicate for item in here.claim("two", [1, 2], 4, 9)] == [0, 1, 2]
        here.write([], release="two")
        assert [item.replicate for item in here.free([1, 2], 4, 9)] == [0, 1, 2, 3]


# --- the code that computed a row -------------------------------------------------------------------------------------


def test_rows_of_other_code_are_not_mixed_in(tmp_path, monkeypatch):
    path = tmp_path / "a.sqlite"
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    assert study.run(plan, path, n_jobs=1) == 5
    monkeypatch.setattr(version, "__version__", "99.0")
    with pytest.raises(InputError, match="no rows of this study by this version of the code"):
        study.power(plan, path)
    assert study.run(plan, path, n_jobs=1) == 5
    assert [cell.replicate.size for cell in study.cells(plan, path)] == [5]
    assert len(set(study.load(path)["code"])) == 2


def test_the_version_changes_with_code_and_with_nothing_else(tmp_path, monkeypatch):
    copy = tmp_path / "kmerf"
    shutil.copytree(version.ROOT, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(version, "ROOT", copy)
    forest, rival = (KMERF(), None), (rivals.Dcorr(), ChiSquare())

    def codes(name, text):
        version.digest.cache_clear()
        file = copy / name
        before = file.read_text()
        file.write_text(before + text)
        found = version.code(forest), version.code(rival)
        file.write_text(before)
        return found

    plain = codes("forests/correlation.py", "")
    assert codes("forests/correlation.py", "\n\n# a comment\n") == plain
    for name in ("core/progress.py", "questions/answer.py", "study/__init__.py"):
        assert codes(name, "\nX = 1\n") == plain
    for name in ("simulations/two_sample.py", "study/replicate.py"):
        changed = codes(name, "\nX = 1\n")
        assert changed[0] != plain[0]
        assert changed[1] != plain[1]
    assert codes("engine/grow.py", "\nX = 1\n")[0] != plain[0]
    changed = codes("methods/dcorr.py", "\nX = 1\n")
    assert (changed[0], changed[1] == plain[1]) == (plain[0], False)
    version.digest.cache_clear()


def test_the_version_knows_where_a_test_comes_from():
    from sklearn.ensemble import RandomForestRegressor

    assert "+test_study-" in version.code((Slope(), None))
    assert "+sklearn-1" in version.code((KMERF(RandomForestRegressor(5)), None))
    assert version.code((KMERF(), None)) != version.code((KMERF(), Permutation()))


def test_a_worker_with_other_code_stops():
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=5)
    batch = Batch(LINEAR, 0, {1: plan.test("slope")}, [Item(0, (1,))], {1: "old"}, parent=-1, seconds=60.0)
    with pytest.raises(KmerfError, match="source code has changed since this run began"):
        batch()


# --- power ------------------------------------------------------------------------------------------------------------


def cell(statistic, permuted, pvalue=None):
    numbers = [None if a is None else np.asarray(a, dtype=float) for a in (statistic, permuted, pvalue)]
    return study.Cell("t", LINEAR, np.arange(len(numbers[0])), *numbers)


def test_power_by_the_published_rule(tmp_path, monkeypatch):
    # 40 permuted statistics 1..40 in any order: the cutoff is entry ceil(38) = 38 from 0, that is 39
    permuted = np.random.default_rng(0).permutation(np.arange(1.0, 41.0))
    statistic = np.r_[np.full(30, 10.0), np.full(4, 39.0), np.full(5, 50.0), np.nan]
    monkeypatch.setattr(study.estimate, "cells", lambda plan, path: [cell(statistic, permuted, np.linspace(0, 1, 40))])
    by_cutoff, by_pvalue = study.power(PLAN, "no file")
    assert (by_cutoff.rule, by_cutoff.cutoff, by_cutoff.rejections, by_cutoff.power) == ("published", 39.0, 9, 10 / 41)
    assert (by_pvalue.rule, by_pvalue.cutoff, by_pvalue.rejections, by_pvalue.rate) == ("pvalue", None, 2, 0.05)
    assert by_cutoff.interval[0] <= by_cutoff.wilson[0] < 9 / 40 < by_cutoff.wilson[1] <= by_cutoff.interval[1]
    assert by_pvalue.interval == by_pvalue.wilson == wilson(2, 40)


def test_the_cutoff_is_entry_ceil_of_95_percent():
    for replicates in range(1, 1000):
        k = -(-95 * replicates // 100)
        assert cutoff(np.arange(float(replicates))) == (k if k < replicates else np.inf)


def test_the_bootstrap_knows_the_error_of_the_cutoff():
    rng = np.random.default_rng(5)
    truth, total, covered, errors, estimates = 0.6387, 200, 0, [], []  # P(N(2, 1) > 1.645)
    for _ in range(200):
        statistic, permuted = rng.normal(2.0, 1.0, total), rng.normal(size=total)
        rates = bootstrap(statistic, permuted, 0.05, 300)
        low, high = np.quantile(rates, [0.025, 0.975])
        covered += low <= truth <= high
        errors.append(rates.std())
        estimates.append((statistic >= cutoff(permuted)).mean())
    assert covered >= 180
    assert 0.8 < np.mean(errors) / np.std(estimates) < 1.25
    assert np.std(estimates) > 1.3 * np.sqrt(truth * (1 - truth) / total)  # the binomial error alone is too small


def test_the_bootstrap_does_not_depend_on_its_blocks(monkeypatch):
    rng = np.random.default_rng(5)
    statistic, permuted = rng.normal(1.0, 1.0, 50), rng.normal(size=50)
    whole = bootstrap(statistic, permuted, 0.05, 100)
    monkeypatch.setattr(study.estimate, "_BLOCK", 333)
    np.testing.assert_array_equal(bootstrap(statistic, permuted, 0.05, 100), whole)
    assert bootstrap(statistic[:10], permuted[:10], 0.05, 3).tolist() == [0.0, 0.0, 0.0]


def test_type_one_error_and_power_from_one_table(tmp_path):
    null, linear = study.Simulated("multimodal_independence", n=30), study.Simulated("linear", n=30, p=1, kappa=0.1)
    plan = study.Study({"slope": Slope()}, [null, linear], replicates=400)
    study.run(plan, tmp_path / "a.sqlite", n_jobs=1, backend="threads")
    at_null, at_linear = study.power(plan, tmp_path / "a.sqlite")
    assert at_null.interval[0] < 0.05 < at_null.interval[1]
    assert at_linear.power == 1.0
    assert at_linear.interval[0] < 1.0
    assert set(study.timings(plan, tmp_path / "a.sqlite")) == {("slope", null), ("slope", linear)}


def test_agreement_finds_the_one_that_differs():
    rng = np.random.default_rng(2)
    ours, published = [], []
    for shift in np.linspace(0, 4, 60):
        statistic, permuted = rng.normal(shift, 1.0, 400), rng.normal(size=400)
        limit, rejected = cutoff(permuted), int((statistic >= cutoff(permuted)).sum())
        error = float(bootstrap(statistic, permuted, 0.05, 300).std())
        ours.append(study.Power("t", LINEAR, "published", 0.05, 400, rejected, error, (0, 1), (0, 1), limit))
        theirs = (rng.normal(shift, 1.0, 2305) >= cutoff(rng.normal(size=2305))).sum()
        published.append(study.Published((1 + theirs) / 2306, 2305))
    assert all(each.holm > 0.05 for each in study.agreement(ours, published))
    published[20] = study.Published(published[20].power + 0.25, 2305)
    wrong = [k for k, each in enumerate(study.agreement(ours, published)) if each.holm <= 0.05]
    assert wrong == [20]
    assert study.agreement(ours, published)[20].difference < -0.1


@pytest.mark.parametrize("shift", [0.0, 2.0, 4.0])
def test_agreement_is_not_quick_to_find_fault(shift):
    rng = np.random.default_rng(3)
    ours, published = [], []
    for _ in range(200):
        statistic, permuted = rng.normal(shift, 1.0, 200), rng.normal(size=200)
        error = float(bootstrap(statistic, permuted, 0.05, 200).std())
        rejected = int((statistic >= cutoff(permuted)).sum())
        ours.append(study.Power("t", LINEAR, "published", 0.05, 200, rejected, error, (0, 1), (0, 1)))
        theirs = (rng.normal(shift, 1.0, 2305) >= cutoff(rng.normal(size=2305))).sum()
        published.append(study.Published((1 + theirs) / 2306, 2305))
    found = study.agreement(ours, published)
    assert sum(each.pvalue <= 0.05 for each in found) <= 18
    assert min(each.holm for each in found) > 0.01


def test_agreement_at_the_edges():
    sure = study.Power("t", LINEAR, "published", 0.05, 500, 500, 0.0, (0.99, 1.0), (0.99, 1.0), 0.1)
    same, near, far = study.agreement([sure] * 3, [study.Published(p, 2305) for p in (1.0, 0.999, 0.97)])
    assert (same.z, same.pvalue) == (0.0, 1.0)
    assert abs(near.z) < 1 < 3 < far.z
    assert holm(np.array([])).size == 0
    with pytest.raises(InputError, match="published has 1 entries for 2 of ours"):
        study.agreement([sure, sure], [study.Published(1.0, 5)])


# --- progress and input -----------------------------------------------------------------------------------------------


def test_progress_counts_what_was_lacking(tmp_path):
    told, path = [], tmp_path / "a.sqlite"
    plan = study.Study({"slope": Slope()}, [LINEAR], replicates=50)
    study.run(replace(plan, replicates=20), path, n_jobs=1)
    study.run(plan, path, n_jobs=1, backend="threads", progress=lambda *state: told.append(state))
    assert told == sorted(told)
    assert told[-1] == (30, 30)
    study.run(plan, path, n_jobs=1, progress=lambda *state: pytest.fail("nothing to do"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tests": {}}, "at least one entry in tests"),
        ({"data": []}, "one in data"),
        ({"tests": {"KMERF": KMERF}}, r"tests\['KMERF'\]=<class .*> cannot be used: pass a value such as kmerf.KMERF"),
        ({"tests": {"KMERF": KMERF(y_kernel=np.eye(20)), "slope": Slope()}}, "cannot be told from others"),
        ({"data": [LINEAR, replace(LINEAR, kappa=1)]}, "the same source twice"),
        ({"data": ["linear"]}, "data='linear' cannot be used"),
        ({"replicates": 0}, "replicates=0 must be a whole number of at least 1"),
        ({"seed": -1}, "seed=-1 must be a whole number of at least 0"),
        ({"pvalue": {"slop": ChiSquare()}}, "pvalue='slop' is not an option; did you mean 'slope'"),
        ({"pvalue": {"slope": "chi2"}}, r"pvalue\['slope'\]='chi2' cannot be used"),
    ],
)
def test_a_study_that_cannot_be_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(PLAN, **changes)


@pytest.mark.parametrize("source", [study.Simulated, study.Rotated, study.Mixed])
def test_sources_check_their_settings(source):
    name = "claw" if source is study.Mixed else "linear"
    with pytest.raises(InputError, match="name='lineal' is not an option"):
        source("lineal")
    with pytest.raises(InputError, match="definition='none' is not an option"):
        source(name, definition="none")
    with pytest.raises(InputError, match="n=3 is too few"):
        source(name, n=3)
    assert canonical(source(name, n=np.int64(20), p=np.int32(3))) == canonical(source(name, n=20, p=3))


def test_a_study_can_be_sent_and_kept():
    assert pickle.loads(pickle.dumps(PLAN)) == PLAN


def test_files_that_are_no_store_are_refused(tmp_path):
    other, text = tmp_path / "other.sqlite", tmp_path / "text.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE t (x)")
    connection.close()
    text.write_text("not a database at all " * 100)
    for path in (other, text):
        with pytest.raises(InputError, match="is not the store of a study"):
            study.run(PLAN, path)
    with pytest.raises(InputError, match=r"does not exist: kmerf\.study\.run"):
        study.load(tmp_path / "none.sqlite")
    with pytest.raises(InputError, match="in a folder that does not exist"):
        study.run(PLAN, tmp_path / "none" / "a.sqlite")


def test_an_unknown_back_end_is_refused(tmp_path):
    with pytest.raises(InputError, match="backend='spark9' is not known"):
        study.run(PLAN, tmp_path / "a.sqlite", n_jobs=2, backend="spark9")


def test_the_public_names_are_sorted():
    assert study.__all__ == sorted(study.__all__)
    assert all(hasattr(study, name) for name in study.__all__)
