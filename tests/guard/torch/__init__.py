"""As much of torch as parplan_guard.py asks for, with ranks and meshes that a test sets."""
