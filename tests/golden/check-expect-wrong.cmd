parplan check plans/fsdp-8.yaml --expect 'parameters."wq.(".placements=S(0)' --expect 'groups.tp.within=node' --expect min_mfu=high --expect 'max_bubble=0.1' --expect degrees.tp=1.0 --expect 'clean=[mesh, hsdp-colapsed]'; parplan check plans/fsdp-8.yaml --expect tp
parplan check plans/torchtitan-llama3-8b.toml --world 16 --expect '.tp=1'
