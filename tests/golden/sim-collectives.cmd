parplan sim --collectives plans/five-d.yaml --set cluster.gpu=h100-sxm | sed -n '/^Collectives/,$p'
