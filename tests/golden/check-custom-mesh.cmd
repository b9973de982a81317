parplan check testdata/mesh/float8-submesh.yaml testdata/mesh/order.yaml testdata/mesh/two-shard-axes.yaml testdata/mesh/small.yaml
