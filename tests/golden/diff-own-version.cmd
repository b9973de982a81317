parplan diff plans/ddp-8.yaml --framework torchtitan@..00b7f5693 | sed "s,of [0-9]* recorded,of N recorded,"
