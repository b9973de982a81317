parplan reshard plans/incidents/dataloader-grow.yaml
