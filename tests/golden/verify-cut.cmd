parplan verify plans/hsdp-2x8.yaml testdata/evidence/packed/cut_1.json.gz
