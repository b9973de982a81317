mpirun --mca btl tcp -np 8 --bind-to none -x PATH python3 train_images.py
