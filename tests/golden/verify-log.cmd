parplan verify plans/hsdp-2x8.yaml testdata/evidence/titan.log
