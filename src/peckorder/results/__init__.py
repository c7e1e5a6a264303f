"""Results that carry settings and provenance: `Ratings`, `Posterior`, `Order` and `Measure`."""

from peckorder.results.findings import Measure as Measure
from peckorder.results.findings import Order as Order
from peckorder.results.posterior import Posterior as Posterior
from peckorder.results.ratings import Ratings as Ratings
