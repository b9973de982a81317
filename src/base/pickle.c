#include "base/pickle.h"

#include "base/pickle_machine.h"
#include "base/pickle_text.h"

#include <inttypes.h>
#include <string.h>

/* Indices of the memo may run ahead of its entries by so many; one entry per so many bytes of the
 * input is usual. */
enum { MEMO_AHEAD = 65536, MEMO_BYTES = 10 };

/* Numbers and texts. */

static void push_int(struct machine *m, enum pickle_kind kind, int64_t integer)
{
	struct pickle_value value = { .kind = kind };

	value.as.integer = integer;
	machine_push(m, value);
}

static void op_none(struct machine *m)
{
	push_int(m, PICKLE_NONE, 0);
}

static void op_bool(struct machine *m)
{
	push_int(m, PICKLE_BOOL, *m->op == 0x88);
}

static void op_binint(struct machine *m)
{
	push_int(m, PICKLE_INT, (int32_t)(uint32_t)machine_number(m, 4));
}

static void op_binint1(struct machine *m)
{
	push_int(m, PICKLE_INT, (int64_t)machine_number(m, 1));
}

static void op_binint2(struct machine *m)
{
	push_int(m, PICKLE_INT, (int64_t)machine_number(m, 2));
}

static void op_long(struct machine *m)
{
	struct pickle_value value = { .kind = PICKLE_INT };
	uint64_t length = machine_number(m, *m->op == 0x8A ? 1 : 4);
	const unsigned char *bytes = machine_take(m, length);

	if (bytes)
		pickle_text_long(&value, m->arena, bytes, (size_t)length);
	machine_push(m, value);
}

static void op_binfloat(struct machine *m)
{
	struct pickle_value value = { .kind = PICKLE_FLOAT };
	const unsigned char *bytes = machine_take(m, 8);
	uint64_t bits = 0;
	int i;

	for (i = 0; bytes && i < 8; i++)
		bits = bits << 8 | bytes[i];
	memcpy(&value.as.number, &bits, sizeof(bits));
	machine_push(m, value);
}

/* INT, LONG, FLOAT, STRING and UNICODE of protocol 0. */
static void op_line(struct machine *m)
{
	struct pickle_value value = { .kind = PICKLE_NONE };
	size_t length;
	const char *line = machine_line(m, &length);
	bool good;

	if (!line)
		return;
	switch (*m->op) {
	case 'F':
		good = pickle_text_float(&value, line, length);
		break;
	case 'S':
		good = pickle_text_string(&value, m->arena, line, length);
		break;
	case 'V':
		good = pickle_text_unicode(&value, m->arena, line, length);
		break;
	default:
		good = pickle_text_int(&value, line, length, *m->op == 'I');
	}
	if (!good)
		machine_fail(m, "the line of %s cannot be read", m->name);
	machine_push(m, value);
}

/* A text whose length is written in so many bytes. */
static void push_text(struct machine *m, enum pickle_kind kind, size_t size)
{
	uint64_t length = machine_number(m, size);
	const unsigned char *text = machine_take(m, length);

	machine_push(m, machine_text(kind, text, text ? length : 0));
}

static void op_text1(struct machine *m)
{
	push_text(m, *m->op == 'C' ? PICKLE_BYTES : PICKLE_STRING, 1);
}

static void op_text4(struct machine *m)
{
	push_text(m, *m->op == 'B' ? PICKLE_BYTES : PICKLE_STRING, 4);
}

static void op_text8(struct machine *m)
{
	push_text(m, *m->op == 0x8D ? PICKLE_STRING : PICKLE_BYTES, 8);
}

/* Containers. */

/* A list has fewer items than the input has bytes, which are less than 4 GiB. */
static void list_add(struct machine *m, struct pickle_list *list, const struct pickle_value *items,
		     size_t count)
{
	size_t total = list->count + count, capacity = list->capacity;

	if (total > capacity) {
		list->items =
			vec_space(m->arena, list->items, list->count, &capacity,
				  total > 2 * capacity ? total : 2 * capacity, sizeof(*items));
		list->capacity = (uint32_t)capacity;
	}
	if (count)
		memcpy(list->items + list->count, items, count * sizeof(*items));
	list->count = (uint32_t)total;
}

static void op_mark(struct machine *m)
{
	vec_push(m->arena, &m->marks, m->stack.count);
}

static void op_pop(struct machine *m)
{
	if (!machine_height(m) && m->marks.count)
		m->marks.count--;
	else if (machine_has(m, 1))
		m->stack.count--;
}

static void op_pop_mark(struct machine *m)
{
	const struct pickle_value *items;
	size_t count;

	machine_group(m, &items, &count);
}

static void op_dup(struct machine *m)
{
	if (machine_has(m, 1)) {
		struct pickle_value value = *machine_top(m);
		machine_push(m, value);
	}
}

static void push_list(struct machine *m, enum pickle_kind kind, const struct pickle_value *items,
		      size_t count)
{
	struct pickle_value value = { .kind = kind };

	value.as.list = arena_new(m->arena, struct pickle_list);
	list_add(m, value.as.list, items, count);
	machine_push(m, value);
}

static void op_empty(struct machine *m)
{
	push_list(m,
		  *m->op == '}'	  ? PICKLE_DICT
		  : *m->op == ']' ? PICKLE_LIST
				  : PICKLE_SET,
		  NULL, 0);
}

static void op_group(struct machine *m)
{
	const struct pickle_value *items;
	size_t count;

	if (!machine_group(m, &items, &count))
		return;
	if (*m->op == 'd' && count % 2)
		machine_fail(m, "DICT has a key without a value");
	else if (*m->op == 't')
		machine_push(m, machine_tuple(m, items, count));
	else
		push_list(m,
			  *m->op == 'd'	  ? PICKLE_DICT
			  : *m->op == 'l' ? PICKLE_LIST
					  : PICKLE_SET,
			  items, count);
}

static void op_tuple(struct machine *m)
{
	size_t count = *m->op == ')' ? 0 : (size_t)(*m->op - 0x84);
	struct pickle_value value;

	if (!machine_has(m, count))
		return;
	value = machine_tuple(m, count ? machine_top(m) - (count - 1) : NULL, count);
	m->stack.count -= count;
	machine_push(m, value);
}

/* The list that items, or keys and values, are added to; NULL after an error. */
static struct pickle_list *target(struct machine *m, const struct pickle_value *value, bool pairs)
{
	struct pickle_object *object = value->kind == PICKLE_OBJECT ? value->as.object : NULL;

	if (value->kind == PICKLE_DICT
		    ? pairs
		    : !pairs && (value->kind == PICKLE_LIST || value->kind == PICKLE_SET))
		return value->as.list;
	if (object && (!object->items.count || object->pairs == pairs)) {
		object->pairs = pairs;
		return &object->items;
	}
	machine_fail(m, "%s adds to what takes no such items", m->name);
	return NULL;
}

static void add_items(struct machine *m, const struct pickle_value *items, size_t count)
{
	bool pairs = *m->op == 's' || *m->op == 'u';
	struct pickle_list *list;

	if (pairs && count % 2)
		machine_fail(m, "%s has a key without a value", m->name);
	if (!machine_has(m, 1))
		return;
	list = target(m, machine_top(m), pairs);
	if (list)
		list_add(m, list, items, count);
}

/* APPEND, SETITEM: one item, or a key and its value, lie on top of the container. */
static void op_add_one(struct machine *m)
{
	size_t count = *m->op == 's' ? 2 : 1;

	if (!machine_has(m, count + 1))
		return;
	m->stack.count -= count;
	add_items(m, m->stack.items + m->stack.count, count);
}

static void op_add_group(struct machine *m)
{
	const struct pickle_value *items;
	size_t count;

	if (machine_group(m, &items, &count))
		add_items(m, items, count);
}

/* The memo. */

static void memo_put(struct machine *m, uint64_t index)
{
	if (!machine_has(m, 1))
		return;
	if (index > m->puts + MEMO_AHEAD) {
		machine_fail(m, "%s stores value %" PRIu64 " of the memo, which has seen %zu",
			     m->name, index, m->puts);
		return;
	}
	if (index >= m->memo.capacity)
		vec_reserve(m->arena, &m->memo, 2 * (size_t)index + 16);
	if (index >= m->memo.count)
		m->memo.count = (size_t)index + 1;
	m->memo.items[index] = *machine_top(m);
	m->puts++;
}

static void memo_get(struct machine *m, uint64_t index)
{
	if (index >= m->memo.count || m->memo.items[index].kind == PICKLE_ABSENT)
		machine_fail(m, "%s asks for value %" PRIu64 " of the memo, which was never stored",
			     m->name, index);
	else
		machine_push(m, m->memo.items[index]);
}

static void op_memoize(struct machine *m)
{
	memo_put(m, m->memo.count);
}

static void op_put(struct machine *m)
{
	memo_put(m, machine_number(m, *m->op == 'q' ? 1 : 4));
}

static void op_get(struct machine *m)
{
	memo_get(m, machine_number(m, *m->op == 'h' ? 1 : 4));
}

/* PUT and GET of protocol 0. */
static void op_memo_line(struct machine *m)
{
	struct pickle_value index = { .kind = PICKLE_NONE };
	size_t length;
	const char *line = machine_line(m, &length);

	if (!line)
		return;
	if (!pickle_text_int(&index, line, length, false) || index.kind != PICKLE_INT ||
	    index.as.integer < 0)
		machine_fail(m, "the line of %s cannot be read", m->name);
	else if (*m->op == 'p')
		memo_put(m, (uint64_t)index.as.integer);
	else
		memo_get(m, (uint64_t)index.as.integer);
}

/* Around it all. */

static void op_proto(struct machine *m)
{
	uint64_t protocol = machine_number(m, 1);

	if (protocol > 5)
		machine_fail(m, "protocol %" PRIu64 " is newer than 5, the last one known",
			     protocol);
}

static void op_frame(struct machine *m)
{
	uint64_t length = machine_number(m, 8);
	const unsigned char *frame = m->at;

	if (machine_take(m, length))
		m->at = frame;
}

static void op_stop(struct machine *m)
{
	m->stopped = machine_has(m, 1);
}

static void op_refused(struct machine *m)
{
	machine_fail(m, "%s takes a value from outside of the pickle; refused", m->name);
}

struct opcode {
	const char *name; /* as Python's pickletools has it; NULL: there is none */
	void (*run)(struct machine *m);
};

static const struct opcode opcodes[256] = {
	['('] = { "MARK", op_mark },
	[')'] = { "EMPTY_TUPLE", op_tuple },
	['.'] = { "STOP", op_stop },
	['0'] = { "POP", op_pop },
	['1'] = { "POP_MARK", op_pop_mark },
	['2'] = { "DUP", op_dup },
	['B'] = { "BINBYTES", op_text4 },
	['C'] = { "SHORT_BINBYTES", op_text1 },
	['F'] = { "FLOAT", op_line },
	['G'] = { "BINFLOAT", op_binfloat },
	['I'] = { "INT", op_line },
	['J'] = { "BININT", op_binint },
	['K'] = { "BININT1", op_binint1 },
	['L'] = { "LONG", op_line },
	['M'] = { "BININT2", op_binint2 },
	['N'] = { "NONE", op_none },
	['P'] = { "PERSID", op_persistent },
	['Q'] = { "BINPERSID", op_persistent },
	['R'] = { "REDUCE", op_construct },
	['S'] = { "STRING", op_line },
	['T'] = { "BINSTRING", op_text4 },
	['U'] = { "SHORT_BINSTRING", op_text1 },
	['V'] = { "UNICODE", op_line },
	['X'] = { "BINUNICODE", op_text4 },
	[']'] = { "EMPTY_LIST", op_empty },
	['a'] = { "APPEND", op_add_one },
	['b'] = { "BUILD", op_build },
	['c'] = { "GLOBAL", op_global },
	['d'] = { "DICT", op_group },
	['e'] = { "APPENDS", op_add_group },
	['g'] = { "GET", op_memo_line },
	['h'] = { "BINGET", op_get },
	['i'] = { "INST", op_instance },
	['j'] = { "LONG_BINGET", op_get },
	['l'] = { "LIST", op_group },
	['o'] = { "OBJ", op_instance },
	['p'] = { "PUT", op_memo_line },
	['q'] = { "BINPUT", op_put },
	['r'] = { "LONG_BINPUT", op_put },
	['s'] = { "SETITEM", op_add_one },
	['t'] = { "TUPLE", op_group },
	['u'] = { "SETITEMS", op_add_group },
	['}'] = { "EMPTY_DICT", op_empty },
	[0x80] = { "PROTO", op_proto },
	[0x81] = { "NEWOBJ", op_construct },
	[0x82] = { "EXT1", op_refused },
	[0x83] = { "EXT2", op_refused },
	[0x84] = { "EXT4", op_refused },
	[0x85] = { "TUPLE1", op_tuple },
	[0x86] = { "TUPLE2", op_tuple },
	[0x87] = { "TUPLE3", op_tuple },
	[0x88] = { "NEWTRUE", op_bool },
	[0x89] = { "NEWFALSE", op_bool },
	[0x8A] = { "LONG1", op_long },
	[0x8B] = { "LONG4", op_long },
	[0x8C] = { "SHORT_BINUNICODE", op_text1 },
	[0x8D] = { "BINUNICODE8", op_text8 },
	[0x8E] = { "BINBYTES8", op_text8 },
	[0x8F] = { "EMPTY_SET", op_empty },
	[0x90] = { "ADDITEMS", op_add_group },
	[0x91] = { "FROZENSET", op_group },
	[0x92] = { "NEWOBJ_EX", op_construct },
	[0x93] = { "STACK_GLOBAL", op_stack_global },
	[0x94] = { "MEMOIZE", op_memoize },
	[0x95] = { "FRAME", op_frame },
	[0x96] = { "BYTEARRAY8", op_text8 },
	[0x97] = { "NEXT_BUFFER", op_refused },
	[0x98] = { "READONLY_BUFFER", op_refused },
};

/* What is no pickle at all, as far as the first bytes tell; NULL for all others. */
static const char *other_format(const char *bytes, size_t length)
{
	if (!length)
		return "it is empty";
	if (length > UINT32_MAX)
		return "it has 4 GiB or more";
	if (length >= 4 && !memcmp(bytes, "PK\3\4", 4))
		return "it is a zip archive, as torch.save writes, and no bare pickle";
	return NULL;
}

const char *pickle_read(struct pickle_value *root, struct arena *arena,
			const struct pickle_rules *rules, const char *bytes, size_t length)
{
	struct machine m = { .arena = arena, .rules = rules };
	const char *other = other_format(bytes, length);

	if (other)
		return other;
	m.start = m.at = (const unsigned char *)bytes;
	m.end = m.start + length;
	vec_reserve(arena, &m.memo, length / MEMO_BYTES);
	while (!m.stopped && !m.error) {
		const struct opcode *opcode;

		m.op = m.at;
		if (m.at == m.end) {
			machine_fail(&m,
				     "the pickle ends without STOP: it is cut short or damaged");
			break;
		}
		opcode = &opcodes[*m.at++];
		m.name = opcode->name;
		if (opcode->run)
			opcode->run(&m);
		else
			machine_fail(&m, "0x%02x is no opcode of a pickle: %s", *m.op,
				     m.op == m.start ? "this is another kind of file"
						     : "it is damaged");
	}
	if (!m.error)
		*root = *machine_top(&m);
	return m.error;
}
