parplan schema axolotle
