"""What notebooks show: results, data and checks as HTML with small pictures."""
