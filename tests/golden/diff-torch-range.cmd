parplan diff plans/incidents/float8-submesh.yaml --framework torch@2.5..2.11
