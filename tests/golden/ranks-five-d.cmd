parplan ranks plans/five-d.yaml; parplan ranks plans/five-d.yaml --rank 37
