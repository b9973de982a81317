parplan verify plans/hsdp-2x8.yaml README.md LICENSE
