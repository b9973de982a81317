parplan reshard plans/incidents/dataloader-shrink.yaml
