#include "evidence/hang/captured.h"

#include "evidence/hang/places.h"

struct hang hang_of(struct capture *capture)
{
	struct rank_file *files = arena_array(capture->arena, capture->files.count, sizeof(*files));
	size_t i;

	for (i = 0; i < capture->files.count; i++) {
		files[i].path = capture->files.items[i].path;
		files[i].rank = capture->files.items[i].rank;
	}
	hang_places_of_files(&capture->hang, files, capture->files.count);
	return hang_find(capture->arena, &capture->hang);
}
