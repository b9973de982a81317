#include "unit/config.h"

#include "framework/requirements.h"
#include "wings/torchtitan/timeline.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct parse_case {
	const char *framework, *text, *label; /* NULL: not known */
	moment_t when;			      /* 0: any */
};

static const struct parse_case parse_cases[] = {
	{ "torchtitan", "v0.2.0", "v0.2.0", 0 },
	{ "torchtitan", "0.2.0", "v0.2.0", 0 },
	{ "torchtitan", "HEAD", "HEAD", 0 },
	{ "torchtitan", "latest", "HEAD", 0 },
	{ "torchtitan", "d7cabfb6c", "d7cabfb6c", 2024103101 },
	{ "torchtitan", "d7cabfb", "d7cabfb6c", 2024103101 },
	{ "torchtitan", "d7cabfb6c^", "b19456a98", 2024102201 },
	{ "torchtitan", "9810191bb^", "v0.2.2", 0 },
	{ "torchtitan", "2025-02", "2025-02", 2025022899 },
	{ "torchtitan", "2024-02-29", NULL, 0 }, /* before the first row */
	{ "torchtitan", "2025-02-29", NULL, 0 }, /* no such day */
	{ "torchtitan", "2025", "2025", 2025123199 },
	{ "torchtitan", "20250301", "20250301", 2025030199 },
	{ "torchtitan", "main@2025-03-01", "main@2025-03-01", 2025030199 },
	{ "torchtitan", "v0.2.9", NULL, 0 },
	{ "torchtitan", "deadbeef0", NULL, 0 },
	{ "torchtitan", "83c879f18^", NULL, 0 },
	{ "torchtitan", "2024-02", NULL, 0 },
	{ "megatron", "deepspeed", "deepspeed", 0 },
	{ "composer", "fsdp", "fsdp", 0 },
	{ "composer", "zero", NULL, 0 },
	{ "deepspeed", "zero", "zero", 0 },
	{ "torchtitan", "", NULL, 0 },
	{ "torchtitan", "00b7f569", "00b7f5693", 2026040901 },
	{ "torchtitan", "1234567=2026-09-01", "1234567=2026-09-01", 2026090199 }, /* of a fork */
	{ "torchtitan", "v9=2026-09-01", NULL, 0 },
	{ "torchtitan", "1234567=soon", NULL, 0 },
	{ "torch", "2.9.0", "2.9.0", 0 },
	{ "torch", "2.9", "2.9.0", 0 },
	{ "torch", "1.13", NULL, 0 },
	{ "torchft", "0.1.1", "0.1.1", 0 },
	{ "megatron", "core@2023-11", "core@2023-11", 2023113099 },
	{ "megatron", "core", "core", 0 },
	{ "megatron", "core_v0.12.1", "core_v0.12.1", 2025040499 },
	{ "megatron", "core_v99", NULL, 0 },
	{ "megatron", "deadbeef0", NULL, 0 },
	{ "accelerate", "1.12.0", "1.12.0", 0 },
	{ "accelerate", "soon", NULL, 0 },
	{ "accelerate", "16cb6eb8", "16cb6eb8", 0 },
};

static void versions_are_parsed(void **state)
{
	struct arena arena;
	size_t i;

	(void)state;
	arena_init(&arena);
	for (i = 0; i < sizeof(parse_cases) / sizeof(parse_cases[0]); i++) {
		const struct parse_case *c = &parse_cases[i];
		struct version version;
		bool known = version_parse(&arena, c->framework, c->text, &version);
		assert_int_equal(known, c->label != NULL);
		if (c->label)
			assert_string_equal(version.label, c->label);
		if (c->when)
			assert_int_equal(version.when, c->when);
	}
	arena_release(&arena);
}

struct infer_case {
	const char *text;
	const char *label, *oldest, *newest;
};

static const struct infer_case infer_cases[] = {
	{ "[training]\nsteps = 1\ndata_parallel_degree = -1\n", "8849580d4", "83c879f18",
	  "8849580d4" },
	{ "[training]\ndata_parallel_replicate_degree = 2\n[experimental]\n"
	  "context_parallel_degree = 1\n",
	  "0f5bafa33", "b19456a98", "0f5bafa33" },
	{ "[parallelism]\ntensor_parallel_degree = 1\n[training]\nbatch_size = 1\n", "c1c2f55d1",
	  "785c34c99", "c1c2f55d1" },
	{ "[parallelism]\ntensor_parallel_degree = 1\n[checkpoint]\nenable_checkpoint = true\n",
	  "v0.1.0", "785c34c99", "08b8b244f" },
	{ "[parallelism]\nenable_compiled_autograd = false\n[quantize.linear.float8]\nemulate = "
	  "false\n",
	  "v0.2.0", "5b5d46856", "v0.2.0" },
	{ "[parallelism]\nexpert_parallel_degree = 1\n", "v0.2.2", "01f4e5022", "v0.2.2" },
};

static void the_newest_that_fits_is_inferred(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(infer_cases) / sizeof(infer_cases[0]); i++) {
		const struct infer_case *c = &infer_cases[i];
		const struct version *version;
		struct config config;
		config_read(&config, c->text, ".toml", NULL, "");
		version = versions_find(&config.versions, "torchtitan");
		assert_int_equal(version->origin, VERSION_INFERRED);
		assert_string_equal(version->label, c->label);
		assert_string_equal(version->oldest, c->oldest);
		assert_string_equal(version->newest, c->newest);
		assert_true(config.document.inferred);
		assert_int_equal(config.document.high, version->high);
		config_release(&config);
	}
}

static void companions_follow_the_date(void **state)
{
	struct config config;

	(void)state;
	config_read(&config, "[parallelism]\ntensor_parallel_degree = 1\n", ".toml", "v0.2.0", "");
	assert_non_null(strstr(versions_find(&config.versions, "torch")->label, "dev20251017"));
	assert_int_equal(versions_find(&config.versions, "torch")->origin, VERSION_COMPANION);
	assert_false(config.document.inferred);
	config_release(&config);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

struct beside_case {
	const char *name, *text, *framework, *version; /* NULL: no pin */
};

static const struct beside_case beside_cases[] = {
	{ "requirements.txt", "numpy\ntorch==2.9.0\n", "torch", "2.9.0" },
	{ "requirements.txt", "torch >= 2.9\n", "torch", NULL },
	{ "requirements.txt", "torch==2.9.*\n", "torch", NULL },
	{ "requirements.txt", "torchvision==0.20\n", "torch", NULL },
	{ "requirements.txt", "torchtitan[dev]==0.2.0 ; python_version > '3.9'\n", "torchtitan",
	  "0.2.0" },
	{ "requirements.txt", "torchtitan @ git+https://github.com/pytorch/torchtitan.git@v0.2.1\n",
	  "torchtitan", "v0.2.1" },
	{ "requirements.txt", "torchtitan @ git+ssh://git@github.com/pytorch/torchtitan\n",
	  "torchtitan", NULL },
	{ "pyproject.toml", "dependencies = [\n  \"torchtitan==0.2.2\",\n]\n", "torchtitan",
	  "0.2.2" },
	{ "uv.lock", "[[package]]\nname = \"torch\"\nversion = \"2.9.1\"\n", "torch", "2.9.1" },
	{ "uv.lock",
	  "[[package]]\nname = \"torchtitan\"\nversion = \"0.1.0\"\nsource = { git = "
	  "\"https://github.com/pytorch/torchtitan?rev=v0.2.0#29624e3\" }\n",
	  "torchtitan", "v0.2.0" },
	{ "uv.lock", "[[package]]\nname = \"triton\"\nversion = \"2.9.1\"\n", "torch", NULL },
};

static void pins_beside_the_config(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(beside_cases) / sizeof(beside_cases[0]); i++) {
		const struct beside_case *c = &beside_cases[i];
		char folder[] = "/tmp/parplan-unit-XXXXXX";
		struct document document = { 0 };
		struct pins pins = { 0 };
		struct arena arena;
		const char *path, *found = NULL;
		size_t j;

		arena_init(&arena);
		if (!mkdtemp(folder))
			abort();
		path = arena_printf(&arena, "%s/%s", folder, c->name);
		write_file(path, c->text);
		document.arena = &arena;
		document.source =
			source_new(&arena, arena_printf(&arena, "%s/train.toml", folder), "", 0);
		requirements_pins(&pins, &document);
		for (j = 0; j < pins.list.count; j++)
			if (!strcmp(pins.list.items[j].framework, c->framework))
				found = pins.list.items[j].version;
		if (c->version)
			assert_string_equal(found, c->version);
		else
			assert_null(found);
		unlink(path);
		rmdir(folder);
		arena_release(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_are_parsed),
		cmocka_unit_test(the_newest_that_fits_is_inferred),
		cmocka_unit_test(companions_follow_the_date),
		cmocka_unit_test(pins_beside_the_config),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
