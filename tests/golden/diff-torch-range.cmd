parplan diff plans/incidents/float8-submesh.yaml --framework torch@2024-12-19..2024-12-20
