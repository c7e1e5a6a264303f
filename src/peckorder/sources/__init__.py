"""From any source (files, databases, tables) to a sheet with known columns."""
