"""What a run shows to people: tables, figures and the self-contained HTML page."""
