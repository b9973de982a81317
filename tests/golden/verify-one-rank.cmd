parplan verify plans/hsdp-2x8.yaml testdata/evidence/hsdp-2x8/rank_8.json
