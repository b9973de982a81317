parplan draw plans/five-d.yaml --figure groups --format svg | cmp - docs/images/groups-256.svg && echo as in docs/images
