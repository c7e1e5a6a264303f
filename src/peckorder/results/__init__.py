"""Results that carry settings and provenance: `Ratings`, `Order` and `Measure`."""

from peckorder.results.finding import Measure as Measure
from peckorder.results.finding import Order as Order
from peckorder.results.ratings import Ratings as Ratings
