parplan mesh --torch 2.14 'm = init(one=1, all=8); m'
