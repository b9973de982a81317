for file in testdata/optimizers/*; do parplan explain $file | grep -e optimizer -e kernels -e reduce_dtype; done
