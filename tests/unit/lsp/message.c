#include "lsp/message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static const char two[] = "Content-Length: 2\r\n\r\n{}content-length:3\r\nX: y\r\n\r\n[1]";

/* The same two messages, whatever the pieces. */
static void pieces(void **state)
{
	struct message_reader reader;
	const char *json;
	size_t piece, at, length, found;

	(void)state;
	for (piece = 1; piece < sizeof(two); piece++) {
		message_begin(&reader);
		for (at = found = 0; at < strlen(two); at += piece) {
			message_feed(&reader, two + at,
				     strlen(two) - at < piece ? strlen(two) - at : piece);
			while (message_next(&reader, &json, &length))
				assert_memory_equal(json, found++ ? "[1]" : "{}", length);
		}
		assert_int_equal(found, 2);
		assert_null(reader.broken);
		message_end(&reader);
	}
}

static void broken(void **state)
{
	static const char *const texts[] = {
		"GET / HTTP/1.1\r\n\r\n",	    "Content-Length: 2\n\n{}",
		"Content-Length: -1\r\n\r\n{}",	    "Content-Length: 2x\r\n\r\n{}",
		"Content-Length: 99999999\r\n\r\n", "X: y\r\n\r\n",
	};
	struct message_reader reader;
	const char *json;
	size_t i, length;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		message_begin(&reader);
		message_feed(&reader, texts[i], strlen(texts[i]));
		assert_false(message_next(&reader, &json, &length));
		assert_non_null(reader.broken);
		message_end(&reader);
	}
}

/* A header that never ends is not kept. */
static void endless(void **state)
{
	struct message_reader reader;
	const char *json;
	size_t i, length;

	(void)state;
	message_begin(&reader);
	for (i = 0; i < MESSAGE_HEADER; i++)
		message_feed(&reader, "a", 1);
	assert_false(message_next(&reader, &json, &length));
	assert_non_null(reader.broken);
	message_end(&reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(pieces), cmocka_unit_test(broken),
					    cmocka_unit_test(endless) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
