parplan plan --param 'attention.(wq' plans/hsdp-2x8.yaml
