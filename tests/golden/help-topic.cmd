parplan help environment
