printf '#!/bin/bash\nNGPU=8\ntorchrun --nproc_per_node 8 train.py\n' | parplan check -
