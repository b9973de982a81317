#include "input/member.h"

#include "base/text.h"

const char *member_text(const struct node *map, const char *key)
{
	const struct node *node = node_member(map, key);

	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL && *node->text
		       ? node->text
		       : NULL;
}

double member_number(const struct node *map, const char *key)
{
	const struct node *node = node_member(map, key);

	return node && node->kind == NODE_SCALAR &&
			       (node->type == SCALAR_INT || node->type == SCALAR_FLOAT)
		       ? node->number
		       : 0;
}

int64_t member_count(const struct node *map, const char *key)
{
	double number = member_number(map, key);

	return number >= 1 && number <= 1 << 24 ? (int64_t)number : 0;
}

int64_t member_integer(const struct node *map, const char *key, int64_t otherwise)
{
	const struct node *node = node_member(map, key);
	int64_t value;

	return node && node->kind == NODE_SCALAR && text_to_int(node->text, &value) ? value
										    : otherwise;
}
