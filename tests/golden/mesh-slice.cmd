parplan mesh --torch 2.9 'm = init(ddp=2, fsdp=2, abcd=2); h = m[ddp, fsdp]; h[fsdp]'
