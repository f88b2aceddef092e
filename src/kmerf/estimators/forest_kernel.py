"""The kernel that a forest learns: two rows are as alike as the share of trees in which they share a leaf.

With Z the matrix that has, for each row, 1 / sqrt(m) in the columns of its m leaves, the kernel is K = Z Z'. So it is
positive semi-definite (the paper's Theorem 1), and Z itself, which is sparse, serves linear models where there are too
many rows for K.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from kmerf.core.errors import choose, warn, whole
from kmerf.core.streams import Purpose, stream
from kmerf.data.sample import all_levels
from kmerf.estimators import inputs, proximity_uses
from kmerf.estimators.proximity_uses import RoutedForest, grow_routed, largest_entries, leaf_map
from kmerf.execution import parallel
from kmerf.forests.growing import Combinations, draw_combinations, presort
from kmerf.forests.proximity import LeafLists
from kmerf.forests.sklearn_forest import PluginSpec, as_spec, check, make_forest
from kmerf.forests.spec import ForestSpec

if TYPE_CHECKING:
    from kmerf.core.arrays import Floats, Ints
    from kmerf.data.sample import Features, Response

MOST_CANDIDATES = 2000  # rows of a group among which prototypes are looked for, so that their proximities fit


class ForestKernel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """The proximity kernel of a forest, as a scikit-learn transformer.

    `fit(X, y)` grows a forest that predicts y from X. `fit(X)` grows one that separates X from synthetic rows, whose
    values come from the columns of X independently: it learns how the columns depend on each other. Blind trees need
    neither y nor synthetic rows. X may have missing values, and may be a dataframe with categories; text columns are
    categories too.

    `transform` returns the leaves, or with `output="kernel"` the proximities to the fitted rows, for models with
    `kernel="precomputed"`. `kernel`, `sparse_kernel` and `nearest` return proximities, and `outlier_scores`,
    `prototypes` and `impute` use them.

    Parameters
    ----------
    n_trees
        Number of trees.
    max_features, min_samples_leaf, max_depth, bootstrap, max_samples
        How trees are grown, as in `kmerf.ForestSpec`. With more than 1000 rows, each tree draws fewer of them, unless
        you set `max_samples`.
    forest
        Another forest; the settings above are then ignored. Either a `kmerf.ForestSpec`, for extremely randomised,
        blind or oblique trees, or an unfitted scikit-learn forest that has `apply`, such as `ExtraTreesClassifier()`,
        whose own `random_state` is replaced by one drawn from that of the `ForestKernel`. One that needs no y, such as
        `ForestSpec(splits="blind")` or `RandomTreesEmbedding()`, never sees it.
    y_kind
        The type of y: "numeric", "categorical", or "auto": categorical if y is text, boolean, or integers with at most
        100 distinct values (numeric if the forest is a regressor of scikit-learn).
    categorical
        Names or positions of columns of X to read as categories.
    handle_unknown
        What to do with a category that is not in the fitted rows: "error" raises an error, "missing" treats it as a
        missing value.
    output
        What `transform` returns: "leaves", a sparse matrix with 1 / sqrt(m) in the columns of a row's leaves, or
        "kernel", the proximities to the fitted rows.
    n_jobs
        Number of threads; None for one, -1 for all cores. It does not change any result.
    random_state
        A seed, a `numpy.random.RandomState`, or None for a forest that differs from fit to fit.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        Number and names of the columns of X; names only if it has any.
    classes_
        The classes of y, sorted; None if it has none.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.svm import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> kernel = ForestKernel(n_trees=50, random_state=0).fit(X, y)
    >>> kernel.kernel(X[:2]).shape
    (2, 150)
    >>> model = make_pipeline(ForestKernel(n_trees=50, output="kernel", random_state=0), SVC(kernel="precomputed"))
    >>> bool(model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9)
    True
    """

    def __init__(
        self,
        n_trees: int = 200,
        *,
        max_features: str | int | float = "auto",
        min_samples_leaf: int = 1,
        max_depth: int | None = None,
        bootstrap: bool = True,
        max_samples: str | int | float | None = None,
        forest: Any = None,
        y_kind: str = "auto",
        categorical: Any = (),
        handle_unknown: str = "error",
        output: str = "leaves",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_trees = n_trees
        self.max_features = max_features
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.forest = forest
        self.y_kind = y_kind
        self.categorical = categorical
        self.handle_unknown = handle_unknown
        self.output = output
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Grow the forest of y on X, or without y a forest that separates X from synthetic rows.

        Parameters
        ----------
        X
            Rows, as an array or a dataframe; NaN if a value is missing.
        y
            A number or a label for each row, several numeric columns, or None. Several columns have the same weight,
            whatever their units.

        Returns
        -------
        ForestKernel
            Itself.
        """
        choose("output", self.output, ("leaves", "kernel"))
        choose("handle_unknown", self.handle_unknown, ("error", "missing"))
        features = inputs.read_fitted(self, X, self.categorical)
        numbers = hasattr(self.forest, "__sklearn_tags__") and is_regressor(self.forest)
        given = None if y is None else inputs.read_target(y, self.y_kind, features.n, as_numbers=numbers)
        seed = inputs.as_sklearn_seed(self.random_state)
        self._features, self._target, self._seed, self._ours = features, given, seed, self._is_native
        self.classes_ = None if given is None else given.classes
        rows = features.values if self._ours else all_levels(features).values
        self._combined = self._draw_combinations(rows, seed)
        target = None if given is None else given.response
        if target is None and self._learns:
            if features.p == 1:
                warn("X has one column and there is no y, so there is nothing for a forest to learn: use blind trees.")
            rows, target = inputs.add_second_class(rows, seed)
        self._forest = self._grow(rows, target, seed).first(features.n)
        return self

    def transform(self, X: Any) -> Any:
        """Return the leaves of rows, or their proximities to the fitted rows, by `output`.

        Parameters
        ----------
        X
            Rows with the columns of the fitted ones.

        Returns
        -------
        scipy.sparse.csr_matrix or numpy.ndarray
            With `output="leaves"`, Z (rows, leaves of all trees); with `output="kernel"`, K (rows, fitted rows).
        """
        check_is_fitted(self)
        if self.output == "kernel":
            return self.kernel(X)
        return leaf_map(self._codes(X), self._forest.n_leaves)

    def kernel(self, X: Any = None, Y: Any = None, *, proximity: str = "all", normalise: bool = False) -> Floats:
        """Return the proximities of the rows of X to the rows of Y; by default, the fitted rows.

        Parameters
        ----------
        X, Y
            Rows with the columns of the fitted ones, or None for the fitted rows themselves.
        proximity
            "all": every tree counts. "oob": a tree counts only for pairs of rows that it was not grown on, so that rows
            are not similar merely because the tree has seen their y. New rows are out of bag in every tree.
        normalise
            Divide by the number of trees that count for a pair instead of by the number of all trees. If False, an
            out-of-bag kernel is smaller for rows that are often in bag. If True, the kernel may not be positive
            semi-definite, which kernel machines need, and is 0 if no tree counts for a pair.

        Returns
        -------
        numpy.ndarray
            The matrix K (rows of X, rows of Y).
        """
        check_is_fitted(self)
        listed = LeafLists(self._codes(Y, proximity), self._forest.n_leaves)
        return listed.dense(self._codes(X, proximity), normalise=normalise, n_jobs=self._workers)

    def nearest(self, X: Any = None, k: int = 10, *, proximity: str = "all") -> tuple[Ints, Floats]:
        """Return the fitted rows that are nearest to each row, and their proximities.

        Parameters
        ----------
        X
            Rows with the columns of the fitted ones, or None for the fitted rows. A row is not its own neighbour.
        k
            The number of neighbours, at most the number of fitted rows.
        proximity
            "all" or "oob", as in `kernel`. With "oob", proximities are normalised.

        Returns
        -------
        rows, proximities : numpy.ndarray
            Indices of fitted rows (rows, k), the nearest first, and their proximities. If fewer than k rows share a
            leaf with a row, the rest is -1 and 0.
        """
        check_is_fitted(self)
        own = np.arange(self._forest.n) if X is None else None
        return self._largest(X, k, proximity, normalise=proximity == "oob", own=own)

    def sparse_kernel(self, X: Any = None, k: int = 10, *, proximity: str = "all", normalise: bool = False) -> Any:
        """Return the k largest proximities of each row to fitted rows, as a sparse matrix.

        Parameters
        ----------
        X, k
            As in `nearest`, but a fitted row may be its own neighbour.
        proximity, normalise
            As in `kernel`.

        Returns
        -------
        scipy.sparse.csr_matrix
            K (rows, fitted rows) with at most k entries in a row.
        """
        check_is_fitted(self)
        rows, near = self._largest(X, k, proximity, normalise=normalise)
        return largest_entries(rows, near, self._forest.n)

    def _largest(
        self, X: Any, k: int, proximity: str, *, normalise: bool, own: Ints | None = None
    ) -> tuple[Ints, Floats]:
        """Return the fitted rows with the k largest proximities to each row, and these; `own` rows are left out."""
        listed = LeafLists(self._forest.counted(proximity), self._forest.n_leaves)
        k = min(whole("k", k), self._forest.n)
        return listed.nearest(self._codes(X, proximity), k, own=own, normalise=normalise, n_jobs=self._workers)

    def outlier_scores(self, X: Any = None, *, proximity: str = "all") -> Floats:
        """Return how unusual each row is within its class, or among all rows if y has no classes.

        This is Breiman's measure: about 0 for typical rows, above 10 for rows that you should inspect. New rows are
        compared with the nearest class. The score is infinite for a row that differs from a class of identical rows,
        and NaN if the class has no other row.

        Parameters
        ----------
        X
            Rows with the columns of the fitted ones, or None for the fitted rows.
        proximity
            As in `nearest`.

        Returns
        -------
        numpy.ndarray
            One score for each row.
        """
        check_is_fitted(self)
        group, names = inputs.groups_of(self._target, self._forest.n)
        listed = LeafLists(self._forest.counted(proximity), self._forest.n_leaves)

        def squares(codes: NDArray[np.int32], fitted: bool) -> Floats:
            blocks = listed.blocks(codes, normalise=proximity == "oob")
            return proximity_uses.group_squares(blocks, group, len(names), codes.shape[1], without_self=fitted)

        within = squares(listed.codes, True)
        usual = proximity_uses.learn_outlyingness(within, group, self._forest.n_trees)
        if X is None:
            return usual.scores(within, group, own=1)
        new = squares(self._codes(X, proximity), False)
        return usual.scores(new, usual.nearest_group(new))

    def prototypes(self, n: int = 1) -> dict[Any, Ints]:
        """Return the fitted rows that represent each class best, or all rows if y has no classes.

        Prototypes are added one by one, so that the rows of the class are as near as possible to their nearest
        prototype. For a class with more than 2000 rows, a random 2000 are considered.

        Parameters
        ----------
        n
            How many for each class.

        Returns
        -------
        dict
            Numbers of fitted rows by class ("all" if there is none), the best first.
        """
        check_is_fitted(self)
        whole("n", n)
        group, names = inputs.groups_of(self._target, self._forest.n)
        found = {}
        for g, name in enumerate(names):
            rows = np.flatnonzero(group == g)
            if rows.size > MOST_CANDIDATES:
                rng = stream(self._seed, Purpose.PROTOTYPE_ROWS, g)
                rows = np.sort(rng.choice(rows, MOST_CANDIDATES, replace=False))
            codes = np.ascontiguousarray(self._forest.codes[:, rows])
            within = LeafLists(codes, self._forest.n_leaves).dense(codes, n_jobs=self._workers)
            found[name] = rows[proximity_uses.cover(within, n)]
        return found

    def impute(self, X: Any = None) -> NDArray[Any]:
        """Return rows with missing values imputed from similar fitted rows.

        A number is replaced by the mean over fitted rows, weighted by proximity; a category or a boolean by the one
        with the largest weight. If no fitted row has a value, it stays missing.

        Parameters
        ----------
        X
            Rows with the columns of the fitted ones, or None for the fitted rows.

        Returns
        -------
        numpy.ndarray
            The rows (n, columns): numbers or, where a column has categories, numbers and labels, the latter as text.
        """
        check_is_fitted(self)
        known, new = all_levels(self._features), self._features if X is None else self._new(X)
        codes = self._forest.codes if X is None else self._forest.router.route(self._routable(new))
        values = all_levels(new).values
        filled = values.copy()
        rows = np.flatnonzero(np.isnan(values).any(axis=1))
        if rows.size:
            blocks = LeafLists(self._forest.codes, self._forest.n_leaves).blocks(np.ascontiguousarray(codes[:, rows]))
            filled[rows] = proximity_uses.weigh_values(blocks, known.values, values[rows])
        return proximity_uses.collapse(filled, known)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_forest")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        known = hasattr(self.forest, "__sklearn_tags__")
        tags.input_tags.allow_nan = get_tags(self.forest).input_tags.allow_nan if known else self._is_native
        tags.input_tags.categorical = True
        return tags

    @property
    def _n_features_out(self) -> int:
        return self._forest.n if self.output == "kernel" else int(self._forest.n_leaves.sum())

    @property
    def _workers(self) -> int:
        return 1 if self.n_jobs is None else parallel.worker_count(self.n_jobs)

    @property
    def _is_native(self) -> bool:
        return self._spec.native

    @property
    def _learns(self) -> bool:
        return self._spec.sees_y

    @property
    def _spec(self) -> ForestSpec | PluginSpec:
        if self.forest is not None:
            return as_spec(self.forest)
        return ForestSpec(
            n_trees=self.n_trees,
            max_features=self.max_features,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            bootstrap=self.bootstrap,
            max_samples=self.max_samples,
        )

    def _draw_combinations(self, rows: Floats, seed: int) -> Combinations | None:
        if not self._spec.combinations:
            return None
        return draw_combinations(presort(rows, self._features.levels), self._spec.combinations, seed)

    def _codes(self, X: Any, proximity: str = "all") -> NDArray[np.int32]:
        """Return the leaves of rows, by default of the fitted ones; -1 in trees in which a row does not count."""
        known = self._forest.counted(proximity)
        return known if X is None else self._forest.router.route(self._routable(self._new(X)))

    def _new(self, X: Any) -> Features:
        return inputs.read_new(self, X, self._features, self.handle_unknown)

    def _routable(self, x: Features) -> Floats:
        """Return the rows as the forest takes them: trees of ours have codes of many categories, others none."""
        if not self._ours:
            return all_levels(x).values
        return x.values if self._combined is None else self._combined.widen(x.values)

    def _grow(self, rows: Floats, target: Response | None, seed: int) -> RoutedForest:
        spec = self._spec
        if not spec.native:
            check(self.forest)
        columns = presort(rows, self._features.levels if spec.native else None)
        columns = columns if self._combined is None else self._combined.widen_columns(columns)
        # Where there was no y, there is a second class, or the forest does not look at y.
        y = inputs.as_classes(np.zeros(len(rows))).response if target is None else target
        return grow_routed(make_forest(spec, columns, y.values, y, np.arange(y.n), seed), self._workers)
