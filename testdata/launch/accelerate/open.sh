accelerate launch $OPTIONS train.py
