parplan schedule --torch 2.8 --name Interleaved1F1B --pp 2 --virtual 2 --microbatches 4
