parplan check --quiet --warn degrees-product --ignore heads-divisibility plans/mistake-degrees.yaml
