python -m MaxText.train src/MaxText/configs/base.yml per_device_batch_size=4
