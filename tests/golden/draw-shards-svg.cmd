parplan draw plans/pp-1f1b-3d.yaml --figure shards --format svg | cmp - docs/images/shards-64.svg && echo as in docs/images
