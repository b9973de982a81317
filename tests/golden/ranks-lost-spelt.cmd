parplan ranks --lost 'node 1' plans/hsdp-2x8.yaml | grep -A2 '^Lost'
