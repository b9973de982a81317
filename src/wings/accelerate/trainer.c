#include "wings/accelerate/trainer.h"

#include "input/axis.h"
#include "input/command.h"
#include "input/field.h"
#include "input/launch/launch.h"
#include "input/node.h"
#include "wings/transformers/arguments.h"
#include "wings/transformers/flags.h"

#include <string.h>

bool accelerate_starts_trainer(const struct document *document)
{
	const struct launch *launch = document->launch;

	return launch && launch->launcher && !strcmp(launch->launcher, "accelerate") &&
	       trainer_flags_tell(launch);
}

/* The flags, apart from the file's keys, some of which have the names of flags; --set wins. */
static const struct node *flags_of(struct document *document)
{
	struct node *map = node_container(document->arena, NODE_MAP, document->root->span), *copy;
	const struct node *child;

	for (child = document->root->first; child; child = child->next) {
		if (child->origin != NODE_FROM_SET)
			continue;
		copy = node_copy(document->arena, child);
		copy->key = child->key;
		copy->key_span = child->key_span;
		node_append(map, copy);
	}
	training_arguments_spell(document->launch);
	command_put_flags(document, map, false);
	return map;
}

const struct node *accelerate_put_trainer(struct decoder *decoder, struct document *document)
{
	const struct node *flags = flags_of(document);

	trainer_flags_put(decoder, document, flags);
	return flags;
}

void accelerate_keep_trainer(struct settings *settings, const struct settings *told)
{
	int id;

	for (id = 0; id < FIELD_COUNT; id = field_next(id))
		if (told->items[id].origin == ORIGIN_FLAG || told->items[id].origin == ORIGIN_SET)
			settings->items[id] = told->items[id];
}

void accelerate_leave_precision(struct decoder *decoder, const struct node *root)
{
	const struct node *said = node_member(root, "mixed_precision");

	if (!setting_known(settings_of(decoder->settings, FIELD_PARAM_DTYPE)))
		axis_leave_open(decoder->settings, FIELD_PARAM_DTYPE, "the script that is started",
				said ? said->span : root->span);
}
