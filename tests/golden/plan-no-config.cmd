parplan plan docs/images
