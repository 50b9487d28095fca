"""The daemon: joins rules and hardware."""
