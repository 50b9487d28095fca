from hypothesis import settings

settings.register_profile("table", derandomize=True, deadline=None)
settings.load_profile("table")
