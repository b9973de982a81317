parplan mesh 'm = init(a=2, b=4); m[a, '"'c d'"'; mm[b'
