# Native keys of --set mean the same where the file has something else in their place: ms-swift's model is a name.
parplan explain --set model.vocab=1024 --set model.preset=llama3-8b testdata/dialects/ms-swift/sft.yaml | grep -E '^model\.(vocab|preset|layers) '
parplan explain --set model.size=8b testdata/dialects/ms-swift/sft.yaml 2>&1 | sed -n 1p
