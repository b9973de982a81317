parplan draw plans/incidents/ft-flatten.yaml --figure compare
