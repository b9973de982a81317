#include "wings/transformers/fsdp.h"

#include "base/text.h"
#include "framework/wing.h"
#include "input/keys.h"
#include "input/node.h"
#include "wings/accelerate/total.h"
#include "wings/transformers/data_parallel.h"
#include "wings/transformers/precision.h"
#include "wings/transformers/says.h"

#include <string.h>
#include <strings.h>

const struct rule_id rule_strategy_ignored = {
	.name = "strategy-ignored",
	.code = "S206",
	.severity = SEVERITY_WARNING,
	.evidence = EVIDENCE_READ,
	.summary = "accelerate drops the sharding strategy that the config gives FSDP",
	.explanation =
		"fully_shard has no ShardingStrategy. accelerate's plug-in for FSDP2 reads "
		"reshard_after_forward and the sizes of parallelism_config: it drops HYBRID_SHARD "
		"and NO_SHARD, those of a Trainer's --fsdp, too, and shards the model over all "
		"ranks. Of axolotl's fsdp_config nothing ever read a strategy. For FSDP1 "
		"transformers hands over that of the words of fsdp as reshard_after_forward from "
		"5.4 on, and accelerate launch's file may have it by that name, too, as "
		"`accelerate config` writes it: the plug-in then asks for a sharding strategy "
		"first, finds none and takes FULL_SHARD. transformers 4 reads no fsdp_version, and "
		"no "
		"release takes fsdp_config without fsdp for a wish to shard.",
	.remedy = "With FSDP2 give the replicas as a size of the mesh; with FSDP1 write "
		  "fsdp_sharding_strategy into accelerate launch's file.",
	.source = "accelerate@16cb6eb8 src/accelerate/utils/dataclasses.py, "
		  "FullyShardedDataParallelPlugin, and utils/launch.py:313; run with 1.15.0; "
		  "transformers v4.57.6 to v5.24.0 training_args.py",
};

const struct rule_id rule_strategy_refused = {
	.name = "strategy-refused",
	.code = "S207",
	.severity = SEVERITY_ERROR,
	.evidence = EVIDENCE_READ,
	.summary = "the Trainer refuses the sharding strategy that its arguments name",
	.explanation =
		"fully_shard has no ShardingStrategy, only reshard_after_forward, true or false. "
		"From transformers 5.10 on, where FSDP2 is the default, a strategy of FSDP1's in "
		"`fsdp` stops the job. FSDP1 takes fsdp_config.reshard_after_forward for the name "
		"of a strategy from 5.0 on, and stops at true and false. Before 5.10 `offload` "
		"alone "
		"and full_shard beside shard_grad_op are refused, and with every release fsdp "
		"beside deepspeed is. axolotl reads fsdp_config wherever `fsdp` is, and stops "
		"without.",
	.remedy = "Name full_shard or shard_grad_op; with FSDP2 give replicas to accelerate.",
	.source = "transformers v4.57.6 to v5.24.0 training_args.py, _process_fsdp_args, and "
		  "trainer.py; "
		  "accelerate@16cb6eb8 utils/dataclasses.py, FullyShardedDataParallelPlugin",
};

static const char words[] = "full_shard|shard_grad_op|no_shard|hybrid_shard|hybrid_shard_zero2|"
			    "offload|auto_wrap";

enum fsdp_reading fsdp_reading_of(const struct document *document)
{
	if (trainer_pinned_from(document, "transformers", 5, 10))
		return FSDP_SECOND;
	if (trainer_pinned_from(document, "transformers", 5, 4))
		return FSDP_LOST;
	if (trainer_pinned_from(document, "transformers", 5, 0))
		return FSDP_BOTH;
	return trainer_pinned_from(document, "transformers", 0, 0) ? FSDP_FIRST : FSDP_OPEN;
}

static bool is_second(const struct decoder *decoder)
{
	return !strcmp(setting_text(decoder->settings, FIELD_FSDP_VERSION, "1"), "2");
}

/* A key of fsdp_config by its name, or with "fsdp_" in front, which then counts; or NULL. */
static const struct node *said_of(const struct node *root, const char *key, const char *longer)
{
	const struct node *map = node_member(root, "fsdp_config");
	const struct node *node = node_member(map, longer);

	if (!node)
		node = node_member(map, key);
	return node && node->kind == NODE_SCALAR && node->type != SCALAR_NULL ? node : NULL;
}

/* Only accelerate launch tells the plug-in of a version then: FSDP_VERSION. */
static void report_version(struct decoder *decoder, const struct node *said)
{
	struct finding *finding;

	if (!decoder->findings || said->unresolved || !strcmp(said->text, "1"))
		return;
	finding = finding_add(decoder->findings, &rule_strategy_ignored, said->span,
			      "the Trainer of transformers 4 does not read %s", said->key);
	finding_requested(decoder->findings, finding, "FSDP%.10s", said->text);
	finding_actual(decoder->findings, finding, "FSDP1, unless accelerate launch is told");
	finding_fix(decoder->findings, finding,
		    "take transformers 5, or tell accelerate launch: --fsdp_version %.10s",
		    said->text);
}

void trainer_fsdp_version(struct decoder *decoder, const struct node *root,
			  enum fsdp_reading reading)
{
	const struct node *said = said_of(root, "version", "fsdp_version");

	settings_put_text(decoder->settings, FIELD_FSDP_VERSION, reading == FSDP_SECOND ? "2" : "1",
			  ORIGIN_DEFAULT)
		->note = "the Trainer's default";
	if (said && reading == FSDP_FIRST && said->origin == NODE_FROM_FILE)
		report_version(decoder, said);
	else if (said)
		field_put(decoder, FIELD_FSDP_VERSION, said);
}

/* ---- the words of fsdp ---- */

enum { MOST_WORDS = 16 };

/* The place of a part of a text that is written as it is, else that of the text. */
static struct span place_of(const struct node *node, size_t from, size_t length)
{
	const struct source *source = node->span.source;
	size_t start;

	if (!span_known(node->span) || node->origin != NODE_FROM_FILE)
		return node->span;
	start = source_offset(source, node->span.line, node->span.column);
	start += strspn(source->text + start, "\"'");
	if (strncmp(source->text + start, node->text, strlen(node->text)) != 0)
		return node->span;
	return source_span(source, start + from, start + from + length);
}

/* The words of one text, into items[]; how many. */
static size_t words_of_text(struct arena *arena, const struct node *text, struct node *items)
{
	size_t count = 0, at = strspn(text->text, " "), length;

	for (; count < MOST_WORDS && text->text[at]; at += strspn(text->text + at, " ")) {
		length = strcspn(text->text + at, " ");
		items[count] = *text;
		items[count].text = arena_strndup(arena, text->text + at, length);
		items[count].quoted = false;
		items[count++].span = place_of(text, at, length);
		at += length;
	}
	return count;
}

/* Those of `fsdp`, which is one text or a list. */
static size_t words_of(struct arena *arena, const struct node *fsdp, struct node *items)
{
	const struct node *item = fsdp && fsdp->kind == NODE_LIST ? fsdp->first : NULL;
	size_t count = 0;

	if (fsdp && fsdp->kind == NODE_SCALAR && fsdp->type == SCALAR_STRING && !fsdp->unresolved)
		return words_of_text(arena, fsdp, items);
	for (; item && count < MOST_WORDS; item = item->next)
		if (item->kind == NODE_SCALAR && !item->unresolved)
			items[count++] = *item;
	return count;
}

/* A strategy as FSDP1 has it, of a word of `fsdp` or of reshard_after_forward; or NULL. */
static const char *strategy_of(const char *word)
{
	static const char *const names[] = { "FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD",
					     "HYBRID_SHARD", "_HYBRID_SHARD_ZERO2" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(word, names[i] + (*names[i] == '_')))
			return names[i];
	return NULL;
}

/* The word that is a strategy, or NULL. */
static const struct node *strategy_word(const struct node *items, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strategy_of(items[i].text))
			return &items[i];
	return NULL;
}

/* What ms-swift takes in their place: the name or the path of a file. */
static bool is_file(const char *word)
{
	return !strcmp(word, "fsdp2") || strpbrk(word, "./");
}

/* Words that no release has: refused in a text, and from 5.10 on in a list. */
static void judge_words(struct decoder *decoder, const struct node *items, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!words_have(words, items[i].text) && !is_file(items[i].text))
			field_bad_word(decoder, words, "fsdp", &items[i]);
}

/* ---- what becomes of them ---- */

static struct finding *refuse_told(struct decoder *decoder, struct span span, struct told told,
				   const char *what, const char *fix)
{
	struct finding *finding;

	if (!decoder->findings)
		return NULL;
	finding = finding_add(decoder->findings, &rule_strategy_refused, span, "%s", what);
	finding_quote(decoder->findings, finding, "%s: %s", told.type, told.message);
	finding->speaker = "transformers";
	finding_fix(decoder->findings, finding, "%s", fix);
	return finding;
}

static void refuse(struct decoder *decoder, const struct node *said, const struct exception *row,
		   const char *word, const char *what, const char *fix)
{
	refuse_told(decoder, said->span, exception_tell(decoder->arena, row, VALUE(word)), what,
		    fix);
}

/* True where it stops; FSDP2 shares over all ranks else, whatever strategy is named (rule
 * strategy-ignored). */
static bool refuses(struct decoder *decoder, const struct node *word, enum fsdp_reading reading,
		    const char *replicas)
{
	if (reading != FSDP_SECOND || !word || !words_have(words, word->text) ||
	    words_have("full_shard|shard_grad_op", word->text))
		return false;
	refuse(decoder, word, TRAINER_FIRST_ONLY, word->text,
	       arena_printf(decoder->arena, "the Trainer refuses %.40s beside FSDP2", word->text),
	       arena_printf(decoder->arena,
			    "write full_shard, and give the replicas as %s; or fsdp_version 1",
			    replicas));
	return true;
}

static const struct key_row reshard_row = { "reshard_after_forward", FIELD_RESHARD_AFTER_FORWARD,
					    KEY_VALUE, ACCELERATE_SWITCH("always", "never") };

/* What FSDP2 is told to keep: fsdp_config says it, else the word of fsdp. */
static void put_resharding(struct decoder *decoder, const struct node *said,
			   const struct node *word, enum fsdp_reading reading)
{
	const bool keeps =
		reading == FSDP_BOTH || (word && !strcmp(strategy_of(word->text), "SHARD_GRAD_OP"));

	if (said && !said->unresolved && !accelerate_is_switch(said->text)) {
		refuse(decoder, said, TRAINER_NO_SWITCH, text_lower(decoder->arena, said->text),
		       arena_printf(decoder->arena, "of FSDP2 %s is true or false, not %.40s",
				    said->key, said->text),
		       "write true or false");
		said = NULL;
	}
	if (said)
		keys_put_node(decoder, &reshard_row, said);
	else if (keeps)
		settings_put_text(decoder->settings, FIELD_RESHARD_AFTER_FORWARD, "never",
				  ORIGIN_DERIVED)
			->note = reading == FSDP_BOTH ? "the Trainer's default" : word->text;
}

/* From 5.0 on FSDP1's plug-in is handed it as a strategy, or as the name of one. */
static void judge_name(struct decoder *decoder, const struct node *said, enum fsdp_reading reading)
{
	if (!said || said->unresolved || reading < FSDP_BOTH || strategy_of(said->text))
		return;
	refuse(decoder, said, TRAINER_NO_NAME, text_upper(decoder->arena, said->text),
	       arena_printf(decoder->arena, "of FSDP1 %s is the name of a strategy, not %.40s",
			    said->key, said->text),
	       "leave it out, or write fsdp_version: 2");
}

/*
 * 5.0 hands the plug-in the word of fsdp as sharding_strategy. From 5.4 on it is
 * reshard_after_forward, which the plug-in does not ask: it puts FULL_SHARD where neither its
 * caller nor FSDP_SHARDING_STRATEGY has a sharding strategy, and Accelerator prefers that
 * (accelerate@16cb6eb8 utils/dataclasses.py:1837, accelerator.py:1940).
 */
static void report_lost(struct decoder *decoder, const struct node *said, const char *applied,
			const char *replicas)
{
	const char *asked = strategy_of(said->text);
	struct finding *finding;

	if (!decoder->findings || !asked || !strcmp(asked, applied))
		return;
	finding = finding_add(decoder->findings, &rule_strategy_ignored, said->span,
			      "accelerate never takes the %.40s that the Trainer asks FSDP1 for",
			      asked);
	finding_requested(decoder->findings, finding, "%s", asked);
	finding_actual(decoder->findings, finding, "%s", applied);
	finding_fix(decoder->findings, finding,
		    "take FSDP2, where shard_grad_op counts and replicas are %s; or start it with "
		    "FSDP_SHARDING_STRATEGY=%s",
		    replicas, asked + (*asked == '_'));
}

static bool put_first(struct decoder *decoder, const struct node *word, const struct node *said,
		      struct span span, enum fsdp_reading reading, const char *replicas)
{
	const bool lost = reading >= FSDP_LOST;
	const char *name = word && !lost ? strategy_of(word->text) : "FULL_SHARD";

	judge_name(decoder, said, reading);
	if (word && lost)
		report_lost(decoder, word, name, replicas);
	if (said && reading >= FSDP_BOTH)
		report_lost(decoder, said, name, replicas);
	if (span_known(span))
		settings_put_text(decoder->settings, FIELD_SHARDING_MODE, name, ORIGIN_DERIVED)
			->span = span;
	return data_parallel_strategy(decoder);
}

bool trainer_fsdp_strategy(struct decoder *decoder, const struct node *root,
			   enum fsdp_reading reading, const char *replicas)
{
	const struct node *said =
		said_of(root, "reshard_after_forward", "fsdp_reshard_after_forward");
	const struct node *fsdp = node_member(root, "fsdp");
	struct node items[MOST_WORDS];
	const size_t count = words_of(decoder->arena, fsdp, items);
	const struct node *word = strategy_word(items, count);
	const struct span span = word ? word->span : fsdp ? fsdp->span : (struct span) { 0 };

	judge_words(decoder, items, count);
	if (!is_second(decoder))
		return put_first(decoder, word, said, span, reading, replicas);
	put_resharding(decoder, said, word, reading);
	if (word && !refuses(decoder, word, reading, replicas))
		settings_put_text(decoder->settings, FIELD_SHARDING_MODE, strategy_of(word->text),
				  ORIGIN_DERIVED)
			->span = word->span;
	return false;
}

/* ---- what does not go together ---- */

static const struct node *item_of(const struct node *items, size_t count, const char *word)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(items[i].text, word))
			return &items[i];
	return NULL;
}

/* Both are refused until 5.9; where no release is known it may be a later one. */
void trainer_fsdp_words(struct decoder *decoder, const struct node *root, enum fsdp_reading reading)
{
	struct node items[MOST_WORDS];
	const size_t count = words_of(decoder->arena, node_member(root, "fsdp"), items);
	const struct node *whole = item_of(items, count, "full_shard");
	const struct node *part = item_of(items, count, "shard_grad_op");
	struct finding *finding = NULL;

	if (reading == FSDP_SECOND)
		return;
	if (count == 1 && !strcmp(items[0].text, "offload"))
		finding = refuse_told(decoder, items[0].span,
				      exception_tell(decoder->arena, TRAINER_OFFLOAD_ALONE),
				      "before transformers 5.10 the Trainer refuses offload alone",
				      "write full_shard offload");
	else if (whole && part)
		finding = refuse_told(decoder, part->span,
				      exception_tell(decoder->arena, TRAINER_TWO_STRATEGIES),
				      "before transformers 5.10 the Trainer refuses shard_grad_op "
				      "beside full_shard",
				      "keep one of them");
	if (finding && !whole && node_member(root, "fsdp")->kind == NODE_SCALAR)
		finding_edit(decoder->findings, finding, items[0].span, "full_shard offload");
	if (finding && reading == FSDP_OPEN)
		finding_cap(finding, SEVERITY_WARNING);
}

void trainer_fsdp_beside(struct decoder *decoder, const struct node *fsdp,
			 const struct node *deepspeed)
{
	struct finding *finding;

	if (fsdp->unresolved || deepspeed->unresolved)
		return;
	finding = refuse_told(decoder, fsdp->key_span,
			      exception_tell(decoder->arena, TRAINER_BOTH_ENGINES),
			      "the Trainer refuses fsdp beside deepspeed", "keep one of them");
	if (finding)
		finding_relate(decoder->findings, finding, deepspeed->key_span, "deepspeed");
}

/*
 * training_args.py (v4.57.6) prepares the plug-in where `fsdp` has a word, and says no more than
 * that some keys of fsdp_config are of use only then; from 5.10 on it does not look at fsdp_config
 * at all. Whoever starts the script by accelerate launch may ask for FSDP there.
 */
void trainer_fsdp_missing(struct decoder *decoder, const struct node *config, bool started)
{
	struct finding *finding;

	if (!decoder->findings || config->unresolved || config->origin != NODE_FROM_FILE)
		return;
	finding = finding_add(decoder->findings, &rule_strategy_ignored, config->key_span,
			      "fsdp_config without fsdp shards nothing");
	finding_requested(decoder->findings, finding, "FSDP");
	finding_actual(decoder->findings, finding, "%s",
		       started ? "DistributedDataParallel"
			       : "DistributedDataParallel, unless accelerate launch asks for FSDP");
	finding_fix(decoder->findings, finding, "add fsdp: full_shard, or drop fsdp_config");
	if (!started)
		finding_cap(finding, SEVERITY_NOTE);
}
