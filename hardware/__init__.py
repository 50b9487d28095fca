"""The boundary to real things. Knows nothing of Blokus."""
