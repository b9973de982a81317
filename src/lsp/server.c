#include "lsp/server.h"

#include "base/outward.h"
#include "base/text.h"
#include "input/keys.h"
#include "input/syntax/reader.h"
#include "lsp/ask.h"
#include "lsp/message.h"
#include "lsp/request.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define X(name) extern const struct lsp_request request_##name;
#include "requests.inc"
#undef X

static const struct lsp_request *const lsp_requests[] = {
#define X(name) &request_##name,
#include "requests.inc"
#undef X
	NULL
};

/* Who types is not asked at each letter; who asks waits no longer than this. */
static const double debounce = 0.15, patience = 20;

/* Error codes of JSON-RPC and of the protocol. */
enum {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	METHOD_NOT_FOUND = -32601,
	INTERNAL_ERROR = -32603,
	NOT_INITIALIZED = -32002
};

struct server {
	const struct lsp_options *options;
	const char *version;
	struct store store;
	struct message_reader reader;
	bool initialized, shut, over;
	int status;
};

/* One message, and what is made while it is answered. */
struct call {
	struct server *server;
	struct arena *arena;
	const char *method;
	const struct node *id, *params; /* NULL: it has none */
};

/* ---- out ---- */

static void send(struct server *server, const struct buf *json)
{
	const char *error = outward_message(json);

	if (!error)
		return;
	server->over = true;
	server->status = 2;
	outward_say("cannot write to the editor: %s", error);
}

static void begin(struct json_writer *json, struct buf *out)
{
	buf_init(out);
	json_begin(json, out);
	json_object(json, NULL);
	json_string(json, "jsonrpc", "2.0");
}

static void end(struct server *server, struct json_writer *json, struct buf *out)
{
	json_object_end(json);
	send(server, out);
	buf_release(out);
}

static void put_id(struct json_writer *json, const struct node *id)
{
	if (id && id->type == SCALAR_INT)
		json_int(json, "id", id->integer);
	else
		json_string(json, "id", id ? id->text : NULL);
}

static void refuse(struct server *server, const struct node *id, int code, const char *message)
{
	struct json_writer json;
	struct buf out;

	begin(&json, &out);
	put_id(&json, id);
	json_object(&json, "error");
	json_int(&json, "code", code);
	json_string(&json, "message", message);
	json_object_end(&json);
	end(server, &json, &out);
}

/* MessageType 1: an error, in the editor's log. */
static void complain(struct server *server, const char *message)
{
	struct json_writer json;
	struct buf out;

	begin(&json, &out);
	json_string(&json, "method", "window/logMessage");
	json_object(&json, "params");
	json_int(&json, "type", 1);
	json_string(&json, "message", message);
	json_object_end(&json);
	end(server, &json, &out);
}

/* A message whose last member is what a copy of the process has written: `"result":...`. */
static void pass_on(struct server *server, struct json_writer *json, struct buf *out,
		    const char *member)
{
	buf_char(out, ',');
	buf_text(out, member);
	end(server, json, out);
}

/* ---- in a copy of the process ---- */

struct question {
	const struct server *server;
	const struct open_text *text;
	const struct lsp_request *request; /* NULL: diagnostics */
	const struct node *params;
};

size_t request_offset(const struct look *look, const struct node *params)
{
	return position_offset(look->source, position_read(node_member(params, "position")));
}

static void begin_look(struct look *look, struct arena *arena, const struct question *question,
		       int64_t typed)
{
	arena_init(arena);
	*look = (struct look) { .arena = arena,
				.options = question->server->options,
				.store = &question->server->store,
				.text = question->text };
	look_at(look, typed);
}

/* Writes a member without the braces around it. */
static void end_member(struct buf *member, struct buf *out)
{
	buf_bytes(out, member->data + 1, member->length - 2);
}

static void answer(const void *data, struct buf *out)
{
	const struct question *question = data;
	const struct lsp_request *request = question->request;
	struct json_writer json;
	struct arena arena;
	struct look look;
	struct buf member;

	begin_look(&look, &arena, question,
		   request->typing ? keys_int(question->params, "position.line", 0) : -1);
	buf_init(&member);
	json_begin(&json, &member);
	json_object(&json, NULL);
	if (look.source)
		request->answer(&look, question->params, &json);
	else
		json_null(&json, "result");
	json_object_end(&json);
	end_member(&member, out);
}

/* Whether it is a config stands before its diagnostics: '+' or '-'. */
static void diagnose(const void *data, struct buf *out)
{
	const struct question *question = data;
	struct json_writer json;
	struct arena arena;
	struct look look;
	struct buf member;
	bool known;

	begin_look(&look, &arena, question, -1);
	known = look.known;
	look.known = (known || question->text->known) && look.source;
	buf_init(&member);
	json_begin(&json, &member);
	json_object(&json, NULL);
	diagnostics_write(&look, &json);
	json_object_end(&json);
	buf_char(out, known ? '+' : '-');
	end_member(&member, out);
}

/* ---- diagnostics ---- */

/* What is said of a file that parplan itself failed on: never nothing. */
static const char *failure(struct arena *arena, const char *trouble)
{
	struct json_writer json;
	struct buf out;
	const char *text;

	buf_init(&out);
	json_begin(&json, &out);
	json_array(&json, NULL);
	json_object(&json, NULL);
	position_range(&json, "range", (struct span) { 0 });
	json_int(&json, "severity", 2);
	json_string(&json, "source", "parplan");
	json_string(&json, "message",
		    arena_printf(arena, "parplan could not judge this file: %s", trouble));
	json_object_end(&json);
	json_array_end(&json);
	text = arena_join(arena, "\"diagnostics\":", out.data, "");
	buf_release(&out);
	return text;
}

static void publish(struct server *server, const struct open_text *text, const char *member)
{
	struct json_writer json;
	struct buf out;

	begin(&json, &out);
	json_string(&json, "method", "textDocument/publishDiagnostics");
	json_object(&json, "params");
	json_string(&json, "uri", text->uri);
	json_int(&json, "version", text->version);
	buf_char(&out, ',');
	buf_text(&out, member);
	json_object_end(&json);
	end(server, &json, &out);
}

static void make_diagnostics(struct server *server, struct open_text *text)
{
	const struct question question = { .server = server, .text = text };
	struct arena arena;
	struct answer got;

	arena_init(&arena);
	text->due = 0;
	got = ask(&arena, patience, diagnose, &question);
	if (got.trouble) {
		complain(server, arena_printf(&arena, "%s: %s", text->uri, got.trouble));
		publish(server, text, failure(&arena, got.trouble));
	} else {
		text->known = text->known || *got.text == '+';
		publish(server, text, got.text + 1);
	}
	arena_release(&arena);
}

/* A change of one file may change what is found in those that build on it. */
static void make_all_due(struct server *server)
{
	const double due = ask_now() + debounce;
	size_t i;

	for (i = 0; i < server->store.list.count; i++)
		server->store.list.items[i]->due = due;
}

/* ---- requests ---- */

static const struct lsp_request *request_find(const char *method)
{
	const struct lsp_request *const *row;

	for (row = lsp_requests; *row; row++)
		if (!strcmp((*row)->method, method))
			return *row;
	return NULL;
}

static void put_result(const struct call *call, const char *member)
{
	struct json_writer json;
	struct buf out;

	begin(&json, &out);
	put_id(&json, call->id);
	pass_on(call->server, &json, &out, member);
}

static void put_request(const struct call *call, const struct lsp_request *request)
{
	const struct open_text *text =
		store_find(&call->server->store, keys_text(call->params, "textDocument.uri", ""));
	const struct question question = { call->server, text, request, call->params };
	struct answer got;

	if (!text) {
		put_result(call, "\"result\":null");
		return;
	}
	got = ask(call->arena, patience, answer, &question);
	if (got.trouble)
		refuse(call->server, call->id, INTERNAL_ERROR,
		       arena_printf(call->arena, "parplan could not answer: %s", got.trouble));
	else
		put_result(call, got.text);
}

static void put_capabilities(struct json_writer *json)
{
	const struct lsp_request *const *row;

	json_object(json, "capabilities");
	json_string(json, "positionEncoding", "utf-16");
	json_object(json, "textDocumentSync");
	json_bool(json, "openClose", true);
	json_int(json, "change", 2);
	json_bool(json, "save", true);
	json_object_end(json);
	for (row = lsp_requests; *row; row++) {
		if (!(*row)->describe) {
			json_bool(json, (*row)->provider, true);
			continue;
		}
		json_object(json, (*row)->provider);
		(*row)->describe(json);
		json_object_end(json);
	}
	json_object_end(json);
}

static void initialize(const struct call *call)
{
	struct json_writer json;
	struct buf out;

	call->server->initialized = true;
	begin(&json, &out);
	put_id(&json, call->id);
	json_object(&json, "result");
	put_capabilities(&json);
	json_object(&json, "serverInfo");
	json_string(&json, "name", "parplan");
	json_string(&json, "version", call->server->version);
	json_object_end(&json);
	json_object_end(&json);
	end(call->server, &json, &out);
}

static void answer_request(const struct call *call)
{
	const struct lsp_request *request = request_find(call->method);

	if (!strcmp(call->method, "initialize")) {
		initialize(call);
	} else if (!call->server->initialized) {
		refuse(call->server, call->id, NOT_INITIALIZED, "initialize comes first");
	} else if (call->server->shut) {
		refuse(call->server, call->id, INVALID_REQUEST, "the server is shut down");
	} else if (!strcmp(call->method, "shutdown")) {
		call->server->shut = true;
		put_result(call, "\"result\":null");
	} else if (request) {
		put_request(call, request);
	} else {
		refuse(call->server, call->id, METHOD_NOT_FOUND,
		       arena_printf(call->arena, "no method '%.60s'", call->method));
	}
}

/* ---- notifications ---- */

static void did_open(const struct call *call)
{
	struct open_text *text = store_open(&call->server->store, call->params);

	if (text)
		text->due = ask_now();
}

static void did_change(const struct call *call)
{
	struct open_text *text = store_change(&call->server->store, call->params);

	if (text && text_ends(text->path, PROJECT_FILE))
		make_all_due(call->server);
	else if (text)
		text->due = ask_now() + debounce;
}

static void did_close(const struct call *call)
{
	const char *uri = keys_text(call->params, "textDocument.uri", "");
	const struct open_text *text = store_find(&call->server->store, uri);

	if (!text)
		return;
	publish(call->server, text, "\"diagnostics\":[]");
	store_close(&call->server->store, call->params);
}

static void did_save(const struct call *call)
{
	make_all_due(call->server);
}

static void do_exit(const struct call *call)
{
	call->server->over = true;
	call->server->status = call->server->shut ? 0 : 1;
}

static void notice(const struct call *call)
{
	static const struct {
		const char *method;
		void (*take)(const struct call *call);
	} notices[] = {
		{ "textDocument/didOpen", did_open },
		{ "textDocument/didChange", did_change },
		{ "textDocument/didClose", did_close },
		{ "textDocument/didSave", did_save },
		{ "workspace/didChangeWatchedFiles", did_save },
		{ "exit", do_exit },
	};
	size_t i;

	for (i = 0; i < sizeof(notices) / sizeof(*notices); i++)
		if (!strcmp(notices[i].method, call->method))
			notices[i].take(call);
}

/* ---- in ---- */

static void take_message(struct server *server, const char *text, size_t length)
{
	struct findings findings;
	struct arena arena;
	struct call call = { .server = server, .arena = &arena };
	const struct node *root;

	arena_init(&arena);
	findings_init(&findings, &arena);
	text = arena_strndup(&arena, text, length);
	root = json_read(&arena, source_new(&arena, "<message>", text, length), &findings);
	call.method = keys_text(root, "method", NULL);
	call.id = node_member(root, "id");
	call.params = node_member(root, "params");
	if (!root)
		refuse(server, NULL, PARSE_ERROR, "no JSON");
	else if (!call.method && call.id &&
		 (node_member(root, "result") || node_member(root, "error")))
		; /* an answer, and nothing was asked */
	else if (!call.method)
		refuse(server, call.id, INVALID_REQUEST, "no method");
	else if (call.id)
		answer_request(&call);
	else
		notice(&call);
	arena_release(&arena);
}

static void take_messages(struct server *server)
{
	const char *json;
	size_t length;

	while (!server->over && message_next(&server->reader, &json, &length))
		take_message(server, json, length);
	if (!server->reader.broken || server->over)
		return;
	outward_say("lsp: %s on stdin", server->reader.broken);
	server->over = true;
	server->status = 2;
}

/* Milliseconds until the next text is due; -1: none is. */
static int time_left(const struct server *server)
{
	double least = -1;
	size_t i;

	for (i = 0; i < server->store.list.count; i++) {
		const double due = server->store.list.items[i]->due;
		if (due > 0 && (least < 0 || due < least))
			least = due;
	}
	if (least < 0)
		return -1;
	least -= ask_now();
	return least <= 0 ? 0 : (int)(least * 1000) + 1;
}

static void make_due(struct server *server)
{
	size_t i;

	for (i = 0; i < server->store.list.count && !server->over; i++) {
		struct open_text *text = server->store.list.items[i];
		if (text->due > 0 && text->due <= ask_now())
			make_diagnostics(server, text);
	}
}

/* Reads what has come; at the end of the input the editor is gone. */
static void hear(struct server *server)
{
	char bytes[65536];
	const ssize_t got = read(STDIN_FILENO, bytes, sizeof(bytes));

	if (got > 0) {
		message_feed(&server->reader, bytes, (size_t)got);
		take_messages(server);
	} else if (got == 0 || errno != EINTR) {
		server->over = true;
		server->status = server->shut ? 0 : 1;
	}
}

int lsp_serve(struct arena *arena, const struct lsp_options *options, const char *version)
{
	struct server server = { .options = options,
				 .version = version,
				 .store = { .arena = arena } };
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	message_begin(&server.reader);
	while (!server.over) {
		if (poll(&input, 1, time_left(&server)) > 0)
			hear(&server);
		else
			make_due(&server);
	}
	while (server.store.list.count)
		store_release(&server.store, server.store.list.items[0]);
	message_end(&server.reader);
	return server.status;
}
