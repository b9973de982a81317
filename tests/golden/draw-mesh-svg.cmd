parplan draw plans/pp-1f1b-3d.yaml --format svg | cmp - docs/images/mesh-64.svg && echo as in docs/images
