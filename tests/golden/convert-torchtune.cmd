parplan convert testdata/convert/axolotl.yaml --world 16 --to torchtune
