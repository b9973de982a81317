parplan reshard --storage-gbps fast plans/incidents/dataloader-grow.yaml
