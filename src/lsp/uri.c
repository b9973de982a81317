#include "lsp/uri.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

static int digit_of(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, tolower((unsigned char)c));

	return c && at ? (int)(at - digits) : -1;
}

const char *uri_path(struct arena *arena, const char *uri)
{
	static const char scheme[] = "file://";
	char *path, *to;
	const char *at;
	int high, low;

	if (!text_starts(uri, scheme))
		return NULL;
	at = uri + strlen(scheme);
	at += text_starts(at, "localhost/") ? strlen("localhost") : 0;
	path = to = arena_strdup(arena, at);
	for (; *at; at++) {
		high = *at == '%' ? digit_of(at[1]) : -1;
		low = high < 0 ? -1 : digit_of(at[2]);
		*to++ = low < 0 ? *at : (char)(high * 16 + low);
		at += low < 0 ? 0 : 2;
	}
	*to = '\0';
	return *path == '/' ? path_absolute(arena, path) : NULL;
}

const char *uri_of(struct arena *arena, const char *path)
{
	const char *at = path_absolute(arena, path), *uri;
	struct buf out;

	buf_init(&out);
	buf_text(&out, "file://");
	for (; *at; at++)
		if (isalnum((unsigned char)*at) || strchr("/-._~", *at))
			buf_char(&out, *at);
		else
			buf_printf(&out, "%%%02X", (unsigned int)(unsigned char)*at);
	uri = arena_strdup(arena, out.data);
	buf_release(&out);
	return uri;
}
