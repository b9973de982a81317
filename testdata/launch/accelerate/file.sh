cd "$(dirname "$0")"
accelerate launch --config_file conf/four.yaml --num_processes 8 train.py
