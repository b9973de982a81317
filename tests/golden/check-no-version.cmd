sed '/^parplan: 1/d' plans/hsdp-2x8.yaml | parplan check -
