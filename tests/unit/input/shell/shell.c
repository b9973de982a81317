#include "base/buf.h"
#include "input/node.h"
#include "input/shell/shell.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Variables of the job's environment that the caller names. */
static const char *outside(const void *context, const char *name)
{
	(void)context;
	return !strcmp(name, "GIVEN") ? "7" : NULL;
}

/* Commands as "a b c; d": open words in angle brackets, commands under open conditions after '?'.
 */
static void show(const struct shell_script *script, struct buf *out)
{
	size_t i, k;

	for (i = 0; i < script->commands.count; i++) {
		const struct shell_command *command = &script->commands.items[i];
		buf_text(out, i ? "; " : "");
		buf_text(out, command->undecided ? "?" : "");
		for (k = 0; k < command->environment.count; k++)
			buf_printf(out, "%s=%s ", command->environment.items[k].name,
				   command->environment.items[k].value.text);
		for (k = 0; k < command->words.count; k++) {
			const struct shell_word *word = &command->words.items[k];
			buf_printf(out, word->unresolved ? "%s<%s>" : "%s%s", k ? " " : "",
				   word->text);
		}
	}
}

static void expect(const char *text, const char *wanted)
{
	struct arena arena;
	struct buf out;
	const struct source *source;

	arena_init(&arena);
	buf_init(&out);
	source = source_new(&arena, "x.sh", text, strlen(text));
	show(shell_read(&arena, source, NULL, text, strlen(text), outside, NULL), &out);
	if (strcmp(out.data, wanted) != 0)
		print_error("%s\n", text);
	assert_string_equal(out.data, wanted);
	buf_release(&out);
	arena_release(&arena);
}

struct script_case {
	const char *text, *wanted;
};

static void expect_all(const struct script_case *cases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		expect(cases[i].text, cases[i].wanted);
}

#define EXPECT_ALL(cases) expect_all(cases, sizeof(cases) / sizeof((cases)[0]))

static void words_and_quotes(void **state)
{
	static const struct script_case cases[] = {
		{ "a b  c # d\n", "a b c" },
		{ "a 'b c' \"d e\" f\\ g", "a b c d e f g" },
		{ "a \\\n  b \\\r\n c", "a b c" },
		{ "a b\\\nc", "a bc" },
		{ "a#b '#c'", "a#b #c" },
		{ "a; b && c | d & e", "a; b; c; d; e" },
		{ "a > out 2>&1 < in &> all", "a" },
		{ "X=1 Y='2 3' a b", "X=1 Y=2 3 a b" },
		{ "a \"\" b", "a  b" },
		{ "a 'unclosed", "a unclosed" },
		{ "a \"$(b \"c d\")\" e", "a <$(b \"c d\")> e" },
		{ "a <<EOF\n$X text\nEOF\nb", "a; b" },
		{ "a <<< word b", "a b" },
		{ ") } fi done a", "a" },
		{ "", "" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

static void variables(void **state)
{
	static const struct script_case cases[] = {
		{ "X=8\na $X ${X} \"$X\" '$X'", "a 8 8 8 $X" },
		{ "a $X ${X}y", "a <$X> <$Xy>" },
		{ "a ${X:-4} ${X-5} $X", "a 4 5 <$X>" },
		{ "a ${X:=4} $X", "a 4 4" },
		{ ": ${X:=4}\na $X", "a 4" },
		{ "X=\na ${X:-4} ${X-5} b", "a 4 b" },
		{ "X=1\na ${X:+--flag 2} ${Y:+3}", "a --flag 2" },
		{ "A=(${X:---b 1} ${X:-\"c d\"} \"${X:-e f}\")\na ${#A[@]} ${A[1]}", "a 4 1" },
		{ "a ${GIVEN} ${GIVEN:-4}", "a 7 7" },
		{ "GIVEN=2\na $GIVEN", "a 2" },
		{ "X=${X:-\"8\"}\nY=$X/$X\na $Y", "a 8/8" },
		{ "O=\"--b 1 \\\n --c 2\"\nO+=\" --d\"\na $O", "a --b 1 --c 2 --d" },
		{ "O=\"--b $Z --c 2\"\na $O", "a --b <$Z> --c 2" },
		{ "X=model-7b.yaml\na ${X%.*} ${X##*-} ${X#model} ${#X}",
		  "a model-7b 7b.yaml -7b.yaml 13" },
		{ "export X=1 Y=2\ndeclare -i Z=3\na $X$Y$Z", "a 123" },
		{ "X=1\nunset X\na $X", "a <$X>" },
		{ "read X\na $X", "a <$X>" },
		{ "a $1 ${2:-b} $@ \"$@\" \"${@:2}\" $#", "a <$1> b 0" },
		{ "X=$1\na ${X:-b} $X", "a b <$1>" },
		{ "X=`pwd`/y\na $X", "a ./y" },
		{ "X=$(echo b c)\na $X", "a b c" },
		{ "X=4\na $(expr $X \\* 2) `expr $X + 1` $(expr $Y + 1) $(echo \"$X*3\" | bc)",
		  "a 8 5 <$Y> 12" },
		{ "X=0,1,2,3\na $(echo $X | tr ',' '\\n' | wc -l) $(echo $X | awk -F, '{print "
		  "NF}')",
		  "a 4 4" },
		{ "a $(echo $X | tr ',' '\\n' | wc -l)", "a <$(echo $X | tr ',' '\\n' | wc -l)>" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

static void arithmetic(void **state)
{
	static const struct script_case cases[] = {
		{ "a $((2 + 3 * 4)) $(( (2+3)*4 )) $((7/2)) $((7%4)) $((2**10)) $((1<<4))",
		  "a 14 20 3 3 1024 16" },
		{ "X=8\nY=2\na $((X*Y)) $(($X * ${Y})) $((X > Y ? 1 : 0)) $((-X))",
		  "a 16 16 1 -8" },
		{ "a $((X*2))", "a <$((X*2))>" },
		{ "a $(($X*2))", "a <$X>" },
		{ "a $((1/0)) $((9223372036854775807+1))",
		  "a <$((1/0))> <$((9223372036854775807+1))>" },
		{ "X=1\n((X++))\n((X += 3))\nlet X=X*2\na $X", "a 10" },
		{ "X=3\nif ((X > 2)); then a; else b; fi", "a" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

static void arrays(void **state)
{
	static const struct script_case cases[] = {
		{ "A=(--b 1 # c\n \"d e\"\n)\na \"${A[@]}\" f", "a --b 1 d e f" },
		{ "A=(\"b c\")\na ${A[@]} ${A[*]}", "a b c b c" },
		{ "A=(b)\nA+=(c d)\na ${A[@]} ${A[0]} ${A[-1]} ${#A[@]}", "a b c d b d 3" },
		{ "A=()\na \"${A[@]}\" b", "a b" },
		{ "a ${A[@]}", "a <${A[@]}>" },
		{ "declare -a A=(\n  --b $X\n)\na ${A[@]}", "a --b <$X>" },
		{ "A=(b)\nA=(\"${A[@]}\" c)\na \"${A[@]}\"", "a b c" },
		{ "N=($(hosts))\na ${#N[@]}", "a <${#N[@]}>" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

static void decided_branches(void **state)
{
	static const struct script_case cases[] = {
		{ "X=1\nif [ $X = 1 ]; then Y=2; else Y=3; fi\na $Y", "a 2" },
		{ "X=1\nif [[ \"$X\" == \"2\" ]]; then a; elif [[ $X -ge 1 && -n $X ]]; then b; fi",
		  "b" },
		{ "if [ -z \"$X\" ]; then X=4; fi\na $X", "a 4" },
		{ "[ -n \"$1\" ] && a\n[ $# -lt 1 ] && exit 1\nb", "b" },
		{ "if [ $# -ne 2 ]; then echo usage; exit 1; fi\na", "a" },
		{ "while [ $# -gt 0 ]; do case $1 in -x) X=$2;; esac; shift; done\na ${X:-1}",
		  "a 1" },
		{ "while getopts 'x:' o; do X=$OPTARG; done\na ${X:-1}", "a 1" },
		{ "case big in small|tiny) X=1;; b*) X=2;; *) X=3;; esac\na $X", "a 2" },
		{ "case $1 in go) a;; *) usage; exit 1;; esac\nb", "?a; ?usage; b" },
		{ "mkdir x || exit 1\ncd y && a", "mkdir x; a" },
		{ "for x in 3; do a $x; done", "a 3" },
		{ "for x in {2..3}; do a $x; done", "?a <$x>" },
		{ "for x in {4,8}; do a $x; done", "?a <$x>" },
		{ "for x in *.yaml; do a $x; done", "?a <$x>" },
		{ "for x in {4}; do a $x; done", "a {4}" },
		{ "a\nexit 0\nb", "a" },
		{ "f() { a $1 \"$@\"; return; b; }\nf 1 2\nf", "a 1 1 2; a" },
		{ "function main { a $1; }\nmain \"$@\"", "a <$1>" },
		{ "f() { shift; a \"$@\"; }\nf 1 2 3", "a 2 3" },
		{ "f() { shift 2; a \"$@\"; }\nf 1 2 3", "a 3" },
		{ "f() { shift 4; a \"$@\"; }\nf 1 2 3", "a 1 2 3" },
		{ "f() { shift $X; a $1; }\nf 1 2 3", "a <$1>" },
		{ "X=1\n(X=2; a $X)\na $X", "a 2; a 1" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

/* Tests without anything open, as bash 5 decides them. */
static void decided_tests(void **state)
{
	static const struct {
		const char *test;
		bool holds;
	} cases[] = {
		{ "[ 2 -lt 3 ]", true },
		{ "[ 3 -lt 3 ]", false },
		{ "[ 3 -le 3 ]", true },
		{ "[ 4 -le 3 ]", false },
		{ "[ 3 -gt 2 ]", true },
		{ "[ 3 -gt 3 ]", false },
		{ "[ 3 -ge 3 ]", true },
		{ "[ 2 -ge 3 ]", false },
		{ "[ 3 -eq 3 ]", true },
		{ "[ 3 -eq 4 ]", false },
		{ "[ 3 -ne 4 ]", true },
		{ "[ 3 -ne 3 ]", false },
		{ "[ a = a ]", true },
		{ "[ a == b ]", false },
		{ "[ a != b ]", true },
		{ "[ a != a ]", false },
		{ "[ -n a ]", true },
		{ "[ -n '' ]", false },
		{ "[ -z '' ]", true },
		{ "[ -z a ]", false },
		{ "[ a ]", true },
		{ "[ '' ]", false },
		{ "[ ! a = b ]", true },
		{ "[ ! -n a ]", false },
		{ "[ -n a -a -z '' ]", true },
		{ "[ -n a -a -z b ]", false },
		{ "[ -z a -o -n b ]", true },
		{ "[ -z a -o -z b ]", false },
		{ "[[ -n a && -z '' ]]", true },
		{ "[[ -z a || -z b ]]", false },
		{ "[[ abc == a* ]]", true },
		{ "[[ abc == b* ]]", false },
		{ "[[ ! abc == a* ]]", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[128];
		snprintf(text, sizeof(text), "if %s; then a; else b; fi", cases[i].test);
		expect(text, cases[i].holds ? "a" : "b");
	}
}

static void open_branches(void **state)
{
	static const struct script_case cases[] = {
		{ "if [ -f x ]; then X=1; else X=2; fi\na $X", "a <1 or 2>" },
		{ "if [ -f x ]; then X=1; else X=1; fi\na $X", "a 1" },
		{ "X=1\nif [ -f x ]; then X=1; fi\na $X", "a 1" },
		{ "X=1\nif [ $N -le 4 ]; then X=2; elif [ $N -ge 8 ]; then X=1; fi\na $X",
		  "a <2 or 1>" },
		{ "if [ -f x ]; then GIVEN=1; fi\na $GIVEN", "a 7" },
		{ "if [ -f x ]; then a; else b; fi", "?a; ?b" },
		{ "if [ -f x ]; then exit 1; fi\na", "a" },
		{ "O=\"--b 1\"\nif [ -d x ]; then O=\"$O --c 2\"; fi\na $O", "a --b 1 <--c> <2>" },
		{ "A=(--b)\nif [ -d x ]; then A+=(--c 2); fi\na ${A[@]}", "a --b <--c> <2>" },
		{ "R=\"\"\nif [ -d x ]; then R=\"--r=1\"; fi\na $R b", "a <--r=1> b" },
		{ "for n in 1 2 4; do a $n; done\nb $n", "a <$n>; b <$n>" },
		{ "for h in $(hosts); do a $h; done", "?a <$h>" },
		{ "X=0\nwhile true; do X=$((X+1)); done\na $X", "a <$X>" },
		{ "case $SIZE in 7b) T=1;; 70b) T=8;; esac\na $T", "a <1 or 8>" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

static void nested_scripts(void **state)
{
	static const struct script_case cases[] = {
		{ "X=2\nsrun -N $X bash -c \"cd y; a --x \\$Z $X\"", "srun -N 2 a --x <$Z> 2" },
		{ "bash -lc 'a b; c'", "a b; c" },
		{ "C=\"a --b 1 &> log\"\neval ${C}", "a --b 1" },
		{ "eval \"$C a\"", "<$C> a" },
		{ "sbatch <<EOF\n#!/bin/bash\n#SBATCH -N 4\nsrun a \\$SLURM_NNODES\nEOF\nb",
		  "sbatch; srun a 4; b" },
		{ "cat > job.sh <<'EOF'\n#!/bin/bash\na $X\nEOF\nbash job.sh",
		  "cat; a <$X>; bash job.sh" },
		{ "python - <<EOF\nimport x\nEOF\na", "python -; a" },
		{ "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=8\na $SLURM_JOB_NUM_NODES "
		  "$SLURM_NTASKS",
		  "a 2 16" },
	};

	(void)state;
	EXPECT_ALL(cases);
}

/* Text that doubles and functions that call themselves come to an end. */
static void bombs(void **state)
{
	static const char *const texts[] = {
		"A=xxxxxxxx\n" /* and what follows doubles it */,
		"f() { f; f; }\nf\n",
		"f() { eval f; eval f; }\nf\n",
		"A=B+B\nB=C+C\nC=D+D\nD=E+E\nE=F+F\nF=G+G\nG=H+H\nH=A+A\na $((A))\n",
		"X='bash -c \"$X$X\"'\neval $X\n",
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct arena arena;
		struct buf text;
		const struct source *source;
		arena_init(&arena);
		buf_init(&text);
		buf_text(&text, texts[i]);
		for (k = 0; k < 200; k++)
			buf_text(&text, "A=$A$A\nif [ -f x ]; then A=$A; fi\n");
		source = source_new(&arena, "x.sh", text.data, text.length);
		assert_non_null(
			shell_read(&arena, source, NULL, text.data, text.length, NULL, NULL));
		buf_release(&text);
		arena_release(&arena);
	}
}

static void places(void **state)
{
	static const char text[] = "X=16\nA=(--tp ${X:-8} --pp=$X)\nrun \"${A[@]}\" --dp=$Y\n";
	struct arena arena;
	const struct source *source;
	struct shell_script *script;
	const struct shell_command *command;
	struct node *node;

	(void)state;
	arena_init(&arena);
	source = source_new(&arena, "x.sh", text, strlen(text));
	script = shell_read(&arena, source, NULL, text, strlen(text), NULL, NULL);
	assert_int_equal(script->commands.count, 1);
	command = &script->commands.items[0];
	assert_int_equal(command->words.count, 5);
	assert_int_equal(command->words.items[1].span.line, 2);
	assert_int_equal(command->words.items[1].used.line, 3);
	node = shell_node(script, &command->words.items[2], 0);
	assert_int_equal(node->integer, 16);
	assert_int_equal(node->span.line, 1);
	assert_int_equal(node->span.column, 3);
	node = shell_node(script, &command->words.items[3], strlen("--pp="));
	assert_int_equal(node->integer, 16);
	assert_int_equal(node->span.line, 1);
	node = shell_node(script, &command->words.items[4], strlen("--dp="));
	assert_string_equal(node->unresolved, "$Y");
	assert_int_equal(node->span.line, 3);
	assert_string_equal(shell_environment(script, command, "X")->text, "16");
	assert_null(shell_environment(script, command, "Y"));
	arena_release(&arena);
}

static void options_of_slurm(void **state)
{
	static const char text[] = "#!/bin/bash\n# note\n#SBATCH -N2 --exclusive\n"
				   "#SBATCH --gres=gpu:8 # eight\n#SBATCH --ntasks-per-node 4\n"
				   "##SBATCH --nodes=9\ndate\n#SBATCH --nodes=7\n";
	struct arena arena;
	const struct source *source;
	struct shell_script *script;

	(void)state;
	arena_init(&arena);
	source = source_new(&arena, "x.sh", text, strlen(text));
	script = shell_read(&arena, source, NULL, text, strlen(text), NULL, NULL);
	assert_string_equal(shell_sbatch(script, "nodes")->text, "2");
	assert_string_equal(shell_sbatch(script, "gres")->text, "gpu:8");
	assert_string_equal(shell_sbatch(script, "ntasks-per-node")->text, "4");
	assert_string_equal(shell_sbatch(script, "exclusive")->text, "");
	assert_null(shell_sbatch(script, "partition"));
	arena_release(&arena);
}

/* "LINE:COLUMN why", or "" where a shell reads all of it: as bash -n 5.2 has it. */
static void breaks(void **state)
{
	static const struct script_case cases[] = {
		{ "if [ -z \"$X\" ; then\necho \"nothing\n", "2:6 the quote is never closed" },
		{ "echo 'a\necho b\n", "1:6 the quote is never closed" },
		{ "echo it\\'s \"it's\" # it's\n", "" },
		{ "x=$(ls\n", "1:4 the bracket is never closed" },
		{ "x=${y:-\n", "1:4 the bracket is never closed" },
		{ "a=(1 2\n", "1:3 the bracket is never closed" },
		{ "x=$(cat <<E\nit's\nE\n)\n", "" },
		{ "x=$(case $a in b) c;; esac)\n", "" },
		{ "cat <<E\nif it's (\nE\n", "" },
		{ "if a; then b\n", "1:1 no 'fi' is there for this 'if'" },
		{ "if a; b\nfi\n", "2:1 'then' has to stand here, for 'if'" },
		{ "if a; then b; elif c; then d; else e; fi\n", "" },
		{ "for i in 1 2; do\necho\n", "1:1 no 'done' is there for this 'for'" },
		{ "for i in 1 2; echo; done\n", "1:15 'do' has to stand here, for 'for'" },
		{ "for ((i=0; i<3; i++)); do a; done; for i in 1; { a; }\n", "" },
		{ "until a; do b; fi\n", "1:16 'done' has to stand here, for 'until'" },
		{ "case a in b) c ;;\n", "1:1 no 'esac' is there for this 'case'" },
		{ "case a in (b) c ;; d) e ;& *) f; esac\n", "" },
		{ "f() {\n  (a; b)\n", "1:5 no '}' is there for this '{'" },
		{ "(a; b\n", "1:1 no ')' is there for this '('" },
		{ "a\n  fi\n", "2:3 it ends nothing that is open" },
		{ "a )\n", "1:3 it ends nothing that is open" },
		{ "echo fi done } esac\n", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *text = cases[i].text, *found = "";
		const struct shell_script *script;
		struct arena arena;

		arena_init(&arena);
		script = shell_read_file(&arena, source_new(&arena, "x.sh", text, strlen(text)),
					 outside, NULL, NULL);
		if (script->trouble)
			found = arena_printf(&arena, "%u:%u %s", (unsigned int)script->broken.line,
					     (unsigned int)script->broken.column, script->trouble);
		assert_string_equal(found, cases[i].wanted);
		arena_release(&arena);
	}
}

static void looks(void **state)
{
	static const struct {
		const char *text;
		bool shell;
	} cases[] = {
		{ "#!/bin/bash\nx", true },
		{ "#!/usr/bin/env bash\nx", true },
		{ "#!/usr/bin/env python3\nx", false },
		{ "# c\n#SBATCH -N 2\n", true },
		{ "set -x\n\npython3 -m x\n", true },
		{ "NPROC_PER_NODE=4 \\\nmegatron sft\n", true },
		{ "model: x\n", false },
		{ "{\"a\": 1}", false },
		{ "[a]\nb = 1\n", false },
		{ "a:\n  run: |\n    torchrun x\n", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(shell_looks(cases[i].text, strlen(cases[i].text)), cases[i].shell);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_quotes),
		cmocka_unit_test(variables),
		cmocka_unit_test(arithmetic),
		cmocka_unit_test(arrays),
		cmocka_unit_test(decided_branches),
		cmocka_unit_test(decided_tests),
		cmocka_unit_test(open_branches),
		cmocka_unit_test(nested_scripts),
		cmocka_unit_test(bombs),
		cmocka_unit_test(places),
		cmocka_unit_test(options_of_slurm),
		cmocka_unit_test(breaks),
		cmocka_unit_test(looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
