parplan mesh 'mesh = init(a=2, b=4); mseh[a]'
