"""The figure of the paper: `python paper/figures.py` writes paper/ranks.png."""

from pathlib import Path

import matplotlib

matplotlib.use("agg")

import peckorder as po

HERE = Path(__file__).parent


def main(folder: Path = HERE) -> None:
    """Draw ranks with intervals."""
    ratings = po.dynamic(po.datasets.adv(), seed=1)
    po.plot.ranks(ratings, width=120).figure.savefig(folder / "ranks.png", dpi=200)


if __name__ == "__main__":
    main()
