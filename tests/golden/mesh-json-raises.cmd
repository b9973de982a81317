parplan mesh --torch 2.8 --format json 'm = init(a=2, a=2)'
