#include "report/web/html.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void content_is_escaped(void **state)
{
	static const struct {
		const char *text, *html;
	} cases[] = {
		{ "tp = 8", "tp = 8" },
		{ "</script><img onerror=x>", "&lt;/script&gt;&lt;img onerror=x&gt;" },
		{ "\"a\" & 'b'", "&quot;a&quot; &amp; &#39;b&#39;" },
		{ "]]>", "]]&gt;" },
		{ "a\tb\nc", "a\tb\nc" },
		{ "\001\033[1m\177", "\xEF\xBF\xBD\xEF\xBF\xBD[1m\xEF\xBF\xBD" },
		{ "\xFFz\xC3", "\xEF\xBF\xBDz\xEF\xBF\xBD" },
		{ "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" },	  /* a surrogate */
		{ "\xEF\xBF\xBE", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD" },	  /* U+FFFE */
		{ "\xE2\x80\xAEtxt", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDtxt" }, /* U+202E */
		{ "\xE2\x81\xA6txt", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDtxt" }, /* U+2066 */
		{ "\xE2\x80\x94\xE4\xB8\xAD", "\xE2\x80\x94\xE4\xB8\xAD" },
	};
	struct html html;
	struct buf out;
	size_t i;

	(void)state;
	buf_init(&out);
	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		buf_clear(&out);
		html_begin(&html, &out);
		html_text(&html, cases[i].text);
		assert_string_equal(out.data, cases[i].html);
	}
	buf_release(&out);
}

static void elements_nest(void **state)
{
	struct html html;
	struct buf out;

	(void)state;
	buf_init(&out);
	html_begin(&html, &out);
	html_open(&html, "p");
	html_attribute(&html, "title", "\"><script>");
	html_element(&html, "b", "x", "1 < 2");
	html_open(&html, "input");
	html_attribute_printf(&html, "max", "%d", 7);
	html_close(&html, "input");
	html_open(&html, "td");
	html_close(&html, "td");
	html_bytes(&html, "abc", 2);
	html_printf(&html, "<%d>", 3);
	html_verbatim(&html, "<hr/>");
	html_close(&html, "p");
	assert_string_equal(out.data, "<p title=\"&quot;&gt;&lt;script&gt;\">"
				      "<b class=\"x\">1 &lt; 2</b><input max=\"7\"/><td></td>"
				      "ab&lt;3&gt;<hr/></p>");
	assert_int_equal(html.depth, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_is_escaped),
		cmocka_unit_test(elements_nest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
