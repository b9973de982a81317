parplan schema --framework torchtitan@v9.9.9
