#include "input/syntax/flow.h"

#include "base/json.h"

#include <ctype.h>
#include <string.h>

bool flow_is_keyword(const char *text)
{
	static const char *const words[] = { "true", "false", "yes", "no", "on",
					     "off",  "null",  "y",   "n",  "~" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t at = 0;
		while (text[at] && tolower((unsigned char)text[at]) == words[i][at])
			at++;
		if (!text[at] && !words[i][at])
			return true;
	}
	return false;
}

static bool is_plain(const char *text)
{
	size_t i;

	if (!isalpha((unsigned char)text[0]) || flow_is_keyword(text))
		return false;
	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("._-/", text[i]))
			return false;
	return true;
}

void flow_text(struct buf *out, const char *text)
{
	if (is_plain(text))
		buf_text(out, text);
	else
		json_quote(out, text); /* a JSON string is a YAML one */
}

static void put_scalar(struct buf *out, const struct node *node)
{
	switch (node->type) {
	case SCALAR_NULL:
		buf_text(out, "null");
		return;
	case SCALAR_BOOL:
		buf_text(out, node->boolean ? "true" : "false");
		return;
	case SCALAR_INT:
	case SCALAR_FLOAT:
		buf_text(out, node->text);
		return;
	case SCALAR_STRING:
		flow_text(out, node->text);
		return;
	}
}

void flow_node(struct buf *out, const struct node *node)
{
	bool map = node->kind == NODE_MAP;
	const struct node *child;

	if (node->kind == NODE_SCALAR) {
		put_scalar(out, node);
		return;
	}
	buf_char(out, map ? '{' : '[');
	for (child = node->first; child; child = child->next) {
		if (map) {
			flow_text(out, child->key);
			buf_text(out, ": ");
		}
		flow_node(out, child);
		if (child->next)
			buf_text(out, ", ");
	}
	buf_char(out, map ? '}' : ']');
}
