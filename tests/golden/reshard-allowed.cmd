parplan reshard plans/incidents/dataloader-allowed.yaml --storage-gbps 20 --node-gbps 25
