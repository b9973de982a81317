parplan why; parplan why nowhere.log
