parplan mesh --torch 1.13 'init(a=2)'
