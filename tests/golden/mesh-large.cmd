parplan mesh 'w = init(world=1048576); u = unflatten(w, world, pp=16, dp=8192, tp=8); u[dp, tp]'
