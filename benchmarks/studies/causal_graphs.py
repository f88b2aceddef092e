"""PC with our test given z and with others: which of a known graph's edges does it recover, and how long does it take?

    python -m benchmarks.studies.causal_graphs --graphs 3      appends to build/conditional/graphs.jsonl

Needs causal-learn, which is no dependency of kmerf. Graphs of 10 and of 20 nodes are drawn at random, with 1.5 parents
a node on average; each node is a sum of functions of its parents, linear ones or bent ones, and noise. Tests: ours,
Fisher's z (linear), and causal-learn's kernel test (KCI) where it is affordable.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np

from benchmarks.studies.given_z import OUT, SEED

ROWS = 1000
ALPHA = 0.01
NODES = (10, 20)
BENT = (np.tanh, lambda v: np.abs(v) - 0.8, lambda v: np.cos(1.5 * v), lambda v: v)


def main() -> None:
    """Search every graph with every test that has no answer yet."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", type=int, default=3)
    parser.add_argument("--kernel", action="store_true", help="KCI, too: minutes for a graph of 10 nodes")
    parser.add_argument("--only", nargs="*", help="graphs, such as '20 nodes, bent'")
    options = parser.parse_args()
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / "graphs.jsonl"
    done = {(a["data"], a["test"], a["replicate"]) for a in map(json.loads, path.open())} if path.exists() else set()
    with path.open("a") as file:
        for i in range(options.graphs):
            for nodes in NODES:
                for kind in ("linear", "bent"):
                    name = f"{nodes} nodes, {kind}"
                    if options.only and name not in options.only:
                        continue
                    parents, table = draw(np.random.default_rng([SEED, nodes, kind == "bent", i]), nodes, kind)
                    tests = ["kmerf", "fisherz", *(["kci"] if options.kernel and nodes == NODES[0] else [])]
                    for test in tests:
                        if (name, test, i) not in done:
                            answer = {"data": name, "n": ROWS, "test": test, "replicate": i}
                            file.write(json.dumps(answer | search(table, parents, test)) + "\n")
                            file.flush()


def draw(rng: np.random.Generator, nodes: int, kind: str) -> tuple[Any, Any]:
    """Return the parents (child, parent) of a random graph, and a table of its nodes."""
    chance = min(1.0, 3.0 / (nodes - 1))
    parents = np.tril(rng.random((nodes, nodes)) < chance, -1)
    table = np.zeros((ROWS, nodes))
    for child in range(nodes):
        for parent in np.flatnonzero(parents[child]):
            function = (lambda v: v) if kind == "linear" else BENT[rng.integers(len(BENT))]
            weight = rng.uniform(0.5, 1.0) * rng.choice([-1.0, 1.0])
            table[:, child] += weight * function(table[:, parent])
        table[:, child] += rng.normal(size=ROWS) * (1.0 if not parents[child].any() else 0.7)
        table[:, child] /= table[:, child].std()
    shuffled = rng.permutation(nodes)
    return parents[np.ix_(shuffled, shuffled)], table[:, shuffled]


def search(table: Any, parents: Any, test: str) -> dict[str, Any]:
    """Run PC, and compare what it returns with the true graph's equivalence class."""
    from causallearn.graph.GraphNode import GraphNode
    from causallearn.search.ConstraintBased.PC import pc
    from causallearn.utils.DAG2CPDAG import dag2cpdag

    from kmerf.adapters import for_causal_learn

    chosen = for_causal_learn() if test == "kmerf" else test
    begun = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = pc(table, ALPHA, indep_test=chosen, show_progress=False).G.graph
    seconds, cpu = time.perf_counter() - begun[0], time.process_time() - begun[1]
    truth = dag2cpdag(_dag(parents, GraphNode)).graph
    edges, real = (np.triu((each != 0) | (each.T != 0), 1) for each in (found, truth))
    hits = int((edges & real).sum())
    rows, columns = np.triu_indices(len(parents), 1)
    differ = (found[rows, columns] != truth[rows, columns]) | (found[columns, rows] != truth[columns, rows])
    return {
        "precision": hits / max(1, int(edges.sum())),
        "recall": hits / max(1, int(real.sum())),
        "shd": int(differ.sum()),
        "seconds": cpu,
        "wall": seconds,
    }


def _dag(parents: Any, node: Any) -> Any:
    from causallearn.graph.Dag import Dag

    nodes = [node(f"X{k + 1}") for k in range(len(parents))]
    graph = Dag(nodes)
    for child, parent in zip(*np.nonzero(parents), strict=True):
        graph.add_directed_edge(nodes[parent], nodes[child])
    return graph


if __name__ == "__main__":
    main()
