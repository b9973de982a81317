parplan draw plans/pp-1f1b-3d.yaml --figure pipeline
