for file in testdata/optimizers/*; do COLUMNS=200 parplan explain $file | grep -E '^training\.(optimizer|kernels|reduce)'; done
