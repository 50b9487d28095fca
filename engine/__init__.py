"""The rules of Blokus. Standard library only; knows nothing of sensors, light, time or files."""
