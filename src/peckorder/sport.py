"""Sports: Glicko ratings, home advantage, seasons, betting odds and summaries of ratings."""

from peckorder.evaluation.areas import areas as areas
from peckorder.evaluation.home_advantages import home_advantages as home_advantages
from peckorder.evaluation.odds import chances_from_odds as chances_from_odds
from peckorder.evaluation.outside import outside_forecast as outside_forecast
from peckorder.evaluation.season import simulate_season as simulate_season
from peckorder.evaluation.standings import bracket as bracket
from peckorder.evaluation.standings import finish_chances as finish_chances
from peckorder.evaluation.standings import league_table as league_table
from peckorder.evaluation.win_share import win_share as win_share
from peckorder.sequential.glicko import glicko as glicko
from peckorder.sequential.glicko import glicko2 as glicko2

__all__ = [
    "areas",
    "bracket",
    "chances_from_odds",
    "finish_chances",
    "glicko",
    "glicko2",
    "home_advantages",
    "league_table",
    "outside_forecast",
    "simulate_season",
    "win_share",
]
