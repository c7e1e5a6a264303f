"""How figures are saved: text stays editable, and the same figure gives the same file."""

FILED = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "peckorder"}
UNDATED = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
DOTS = 300  # dots per inch of raster images
