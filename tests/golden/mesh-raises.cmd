parplan mesh --torch 2.8 'm = init(ddp=2, fsdp=2, abcd=2); h = m[ddp, fsdp]; h[fsdp]'
