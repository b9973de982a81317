export SEED=42
HEAD=$(hostname)
