for f in testdata/dialects/axolotl/*.yaml; do parplan plan --world 16 $f; parplan check --world 16 $f; done
