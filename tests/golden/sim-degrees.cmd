# Degrees that do not make the world have no step to forecast.
parplan sim plans/mistake-degrees.yaml
