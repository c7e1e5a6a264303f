"""Results that carry settings and provenance: `Ratings`, `Order` and `Measure`."""

from peckorder.results.measures import Measure as Measure
from peckorder.results.measures import Order as Order
from peckorder.results.ratings import Ratings as Ratings
