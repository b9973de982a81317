parplan check --ignore degrees-product,heads-divisibility plans/mistake-degrees.yaml
