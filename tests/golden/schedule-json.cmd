parplan schedule --torch 2.9 --name dualpipev --pp 2 --microbatches 4 --format json
