parplan draw nothing.yaml
