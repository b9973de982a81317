#include "evidence/recorded.h"

#include "base/number.h"
#include "input/member.h"

/* Elements of a tensor's sizes; -1: they are none. */
static int64_t elements_of(const struct node *sizes)
{
	const struct node *size;
	int64_t product = 1;

	if (!sizes || sizes->kind != NODE_LIST)
		return -1;
	for (size = sizes->first; size; size = size->next) {
		if (size->kind != NODE_SCALAR || size->type != SCALAR_INT || size->integer < 0)
			return -1;
		product = multiply(product, size->integer);
	}
	return product;
}

/* Elements of all tensors of a side: a list of lists of sizes. */
int64_t recorded_elements(const struct node *entry, const char *key)
{
	const struct node *tensors = node_member(entry, key), *sizes;
	int64_t sum = 0;

	if (!tensors || tensors->kind != NODE_LIST || !tensors->first)
		return -1;
	for (sizes = tensors->first; sizes; sizes = sizes->next) {
		int64_t elements = elements_of(sizes);
		if (elements < 0)
			return -1;
		sum = add(sum, elements);
	}
	return sum;
}

int32_t recorded_dims(const struct node *entry, const char *key)
{
	const struct node *tensors = node_member(entry, key), *size;
	int32_t dims = 0;

	if (!tensors || tensors->kind != NODE_LIST || !tensors->first ||
	    tensors->first->kind != NODE_LIST)
		return 0;
	for (size = tensors->first->first; size; size = size->next)
		dims++;
	return dims;
}

const char *recorded_type(const struct node *entry, const char *key)
{
	const struct node *list = node_member(entry, key);

	return list && list->kind == NODE_LIST && list->first && list->first->kind == NODE_SCALAR
		       ? list->first->text
		       : NULL;
}
