parplan reshard --rank 16 plans/incidents/dataloader-grow.yaml
