parplan convert --to native testdata/python/team/config_registry.py 2>/dev/null
