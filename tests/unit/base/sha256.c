#include "base/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* NIST's example vectors, and lengths about the end of a block as coreutils' sha256sum has them. */
static void digests_are_those_of_the_standard(void **state)
{
	static const struct {
		const char *text;
		const char *digest;
	} cases[] = {
		{ "", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" },
		{ "abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=" },
		{ "0123456789012345678901234567890123456789012345678901234",
		  "801aD4DAy/hMjAuQIYwiY3q9GZllJJ2nNqIBQ8jJydk=" },
		{ "0123456789012345678901234567890123456789012345678901234567890123",
		  "lnTZ4HhTW3zsQyhDh6buOZVhiOc1qFRSsAULVTQc2lY=" },
		{ "01234567890123456789012345678901234567890123456789012345678901234",
		  "UndLV8EORQQKYcFNNcHI6+/ogAgjE6oKIeuwd3NM0Gc=" },
	};
	char text[SHA256_BASE64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		sha256_base64(cases[i].text, strlen(cases[i].text), text);
		assert_string_equal(text, cases[i].digest);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digests_are_those_of_the_standard),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
