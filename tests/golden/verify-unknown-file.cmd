parplan verify plans/hsdp-2x8.yaml README.md testdata/evidence/hsdp-2x8
