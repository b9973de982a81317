parplan mesh --torch 2.10 --format json 'm = init(a=2, b=3, c=4); flatten(m[a, c], x)'
