parplan mesh
