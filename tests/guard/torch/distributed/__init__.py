SEEN_FROM = {"rank": 0, "world": 1}


def get_rank():
    return SEEN_FROM["rank"]


def get_world_size():
    return SEEN_FROM["world"]


def get_process_group_ranks(group):
    return group
