"""A small league rated by wins and by points, with home advantage and two seasons."""

import peckorder as po

games = {
    "date": ["2025-03-01", "2025-03-08", "2025-03-15", "2026-03-01", "2026-03-08"],
    "home": ["Reds", "Blues", "Greens", "Reds", "Greens"],
    "away": ["Blues", "Greens", "Reds", "Greens", "Blues"],
    "home_goals": [2, 1, 0, 3, 1],
    "away_goals": [1, 1, 2, 0, 2],
    "season": ["2025", "2025", "2025", "2026", "2026"],
}
data = po.read(games)
by_win = po.elo(data, k=40, home_advantage=60, carry_over=0.75)
by_points = po.elo(data, k=40, home_advantage=60, carry_over=0.75, outcome="points")
for team in by_win:
    print(f"{team:7} {by_win[team]:7.1f} by wins, {by_points[team]:7.1f} by points")
probability = by_win.probability("Reds", "Blues", home="Reds")
print(f"Probability that Reds beat Blues at home: {probability:.2f}")
