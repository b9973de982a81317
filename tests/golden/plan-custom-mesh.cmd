parplan plan plans/mesh-of-a-script.yaml
