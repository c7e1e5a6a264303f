"""Results that carry their own settings and provenance: `Ratings`, `Order` and `Measure`."""

from peckorder.results.findings import Measure as Measure
from peckorder.results.findings import Order as Order
from peckorder.results.ratings import Ratings as Ratings
