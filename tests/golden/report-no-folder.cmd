parplan report plans/hsdp-2x8.yaml -o no/such/folder/report.html
