"""What holds for every test."""

from hypothesis import settings

# How long an example takes depends on what else the machine does: no test may fail for that.
settings.register_profile("untimed", settings(), deadline=None)
settings.load_profile("untimed")
