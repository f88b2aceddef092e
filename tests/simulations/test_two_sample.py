"""Two samples: rotations and mixtures, against their formulas and moments."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kmerf.simulations import MIXTURES, mixture, rotate, rotated, simulate
from simulation_checks import DEFINITIONS, assert_covariance


def test_rotate_turns_the_plane_of_first_and_last():
    z = np.random.default_rng(0).standard_normal((20, 4))
    t = math.radians(30)
    q = np.eye(4)
    q[0, 0] = q[3, 3] = math.cos(t)
    q[0, 3], q[3, 0] = -math.sin(t), math.sin(t)
    np.testing.assert_allclose(rotate(z, 30), (q @ z.T).T)
    np.testing.assert_allclose(rotate(rotate(z, 30), -30), z)


@pytest.mark.parametrize("definition", DEFINITIONS)
@pytest.mark.parametrize("name", ["linear", "spiral", "joint_normal"])
def test_rotated_is_a_draw_and_a_second_one_turned(name, definition):
    a, b = rotated(name, 25, 3, angle=35, kappa=0.5, definition=definition, rng=4)
    rng = np.random.default_rng(4)
    first, second = (np.hstack(simulate(name, 25, 3, kappa=0.5, definition=definition, rng=rng)) for _ in range(2))
    np.testing.assert_array_equal(a, first)
    np.testing.assert_allclose(rotate(b, -35), second)
    assert not np.isclose(first, second).all(axis=1).any()


def test_rotated_defaults_to_twenty_degrees_and_no_noise():
    for a, b in zip(rotated("linear", 9, 2, rng=1), rotated("linear", 9, 2, angle=20, kappa=0, rng=1), strict=True):
        np.testing.assert_array_equal(a, b)


def test_rotated_random_angle_is_drawn_for_each_data_set():
    def angle(seed):
        rng = np.random.default_rng(seed)
        _, b = rotated("linear", 10, 2, angle="random", rng=seed)
        for _ in range(2):
            z = np.hstack(simulate("linear", 10, 2, kappa=0.0, rng=rng))
        turn = np.angle((b[:, 0] + 1j * b[:, 2]) / (z[:, 0] + 1j * z[:, 2]), deg=True) % 360
        assert np.ptp(turn) < 1e-8
        return turn[0]

    turns = np.array([angle(seed) for seed in range(400)])
    assert turns.min() < 10
    assert turns.max() > 350
    assert abs(turns.mean() - 180) < 5 * 104 / 20


MIXTURE_NAMES = [
    "skewed_unimodal",
    "strongly_skewed",
    "kurtotic_unimodal",
    "outlier",
    "bimodal",
    "separated_bimodal",
    "skewed_bimodal",
    "trimodal",
    "claw",
    "double_claw",
    "asymmetric_claw",
    "asymmetric_double_claw",
    "smooth_comb",
    "discrete_comb",
    "independent",
]
SKEWED_MEAN = 3 / 8 * (3 * (1 - (2 / 3) ** 8) - 8)


# Mean and variance, worked out by hand from the list of components.
MOMENTS = {
    "skewed_unimodal": (3 / 4, 1 / 5 + (1 / 4 + 4 / 9) / 5 + 3 * (169 / 144 + 25 / 81) / 5 - 9 / 16),
    "kurtotic_unimodal": (0, 2 / 3 + 1 / 300),
    "outlier": (0, 0.109),
    "bimodal": (0, 13 / 9),
    "separated_bimodal": (0, 2.5),
    "skewed_bimodal": (3 / 8, 3 / 4 + (9 / 4 + 1 / 9) / 4 - 9 / 64),
    "trimodal": (0, 1.62625),
    "claw": (0, 0.755),
    "double_claw": (0, 0.98 * 13 / 9 + 7 / 350 * 1.0001),
    "asymmetric_claw": (-10.25 / 31, 0.5 + 26.3378125 / 31 - (10.25 / 31) ** 2),
    "asymmetric_double_claw": (0.06, 0.92 * 13 / 9 + 3.5 * 8 / 300 + (3e-4 + 7 * 3 * 49e-4) / 300 - 0.0036),
    "smooth_comb": (0, 70866 / (63 * 441) + 37449 / 63**3),
    "discrete_comb": (0, 654 / 343 + 980 / 1029 + 1 / 3087),
    "strongly_skewed": (
        SKEWED_MEAN,
        (18 * (1 - (2 / 3) ** 16) - 54 * (1 - (2 / 3) ** 8) + 72) / 8 - SKEWED_MEAN**2,
    ),
    "independent": (0, 1),
}


def test_mixtures_are_the_published_ones():
    assert list(MIXTURES) == MIXTURE_NAMES
    assert [MIXTURES[k].title for k in ("claw", "asymmetric_double_claw")] == ["Claw", "Asymmetric Double Claw"]


@pytest.mark.parametrize("name", MIXTURE_NAMES)
def test_mixture_moments(name):
    law = MIXTURES[name]
    assert sum(law.weights) == pytest.approx(1, abs=1e-12)
    assert min(law.sds) > 0
    mean, variance = MOMENTS[name]
    assert law.mean == pytest.approx(mean, abs=1e-12)
    assert law.sd**2 == pytest.approx(variance, rel=1e-12)
    n = 200_000
    z = law.sample(n, rng=1) - law.mean
    assert abs(z.mean()) < 5 * law.sd / math.sqrt(n)
    assert abs((z**2).mean() - law.sd**2) < 5 * (z**2).std() / math.sqrt(n)


def test_a_mixture_is_not_just_its_moments():
    # Half of the claw sits in five narrow spikes, a tenth in each: the share within 0.05 of a spike's centre.
    z = MIXTURES["claw"].sample(100_000, rng=3)
    density = np.exp(-(0.5**2) / 2) / math.sqrt(2 * math.pi)
    share = 0.1 * math.erf(0.5 / math.sqrt(2)) + 0.5 * 0.1 * density
    assert np.mean(np.abs(z - 0.5) < 0.05) == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize("name", MIXTURE_NAMES)
def test_mixture_samples(name):
    n = 20_000
    a, b = mixture(name, n, 4, rng=6)
    assert a.shape == b.shape == (n, 4)
    assert_covariance(a, np.eye(4))
    law = MIXTURES[name]
    error = np.abs(np.corrcoef(b.T) - np.eye(4)).max()
    assert error < 5 / math.sqrt(n)
    assert abs(b[:, 0].mean() - law.mean) < 5 * law.sd / math.sqrt(n)
    assert np.abs(b[:, 1:].std(axis=0) - 1).max() < 0.03


@pytest.mark.parametrize("name", MIXTURE_NAMES)
def test_the_published_fault_copies_one_column_of_one_sample(name):
    a, b = mixture(name, 50, 5, definition="published", rng=9)
    fresh_a, fresh_b = mixture(name, 50, 5, rng=9)
    np.testing.assert_array_equal(b, fresh_b)
    np.testing.assert_array_equal(np.delete(a, 1, axis=1), np.delete(fresh_a, 1, axis=1))
    np.testing.assert_array_equal(a[:, 1], fresh_a[:, 1] if name == "independent" else a[:, 0])
    assert not np.isclose(fresh_a[:, 0], fresh_a[:, 1]).any()


def test_the_published_fault_needs_two_columns():
    a, _ = mixture("claw", 10, 1, definition="published", rng=9)
    np.testing.assert_array_equal(a, mixture("claw", 10, 1, rng=9)[0])
