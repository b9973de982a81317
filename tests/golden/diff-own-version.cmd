parplan diff plans/ddp-8.yaml --framework torchtitan@..00b7f5693
