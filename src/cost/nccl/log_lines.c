#include "cost/nccl/log_lines.h"

#include "base/die.h"
#include "base/text.h"

#include <string.h>

#define HEX "(0x[0-9a-f]+)"

/* Launchers and schedulers put words of all kinds before "host:pid:tid [device]". */
static const char prefix[] = "(?|\\[rank(\\d+)\\]: ?|\\[[^\\s\\],]*,(\\d+)\\]<std(?:out|err)>: ?|"
			     "^ *(\\d+): )?"
			     "([^\\s:\\[\\]]+):(\\d+):\\d+ (?:\\[\\d+\\] )?"
			     "(?:\\([^)]*\\) )?(?:[\\d.]+ )?(?:[\\w./-]+:\\d+ )?"
			     "NCCL (?:INFO|WARN|TRACE|CALL) *";
static const char communicator[] =
	"\\bcomm " HEX " rank (\\d+) nranks (\\d+)(?: cudaDev \\d+)?(?: nvmlDev -?\\d+)?"
	"(?: busId ([0-9a-f]+))?(?: parent " HEX ")?(?: (?:splitCount|childCount) (\\d+))?"
	"(?: color (-?\\d+))?(?: key (-?\\d+))?(?: commId " HEX
	")?\\s*- ?(Init START|Init COMPLETE|Destroy COMPLETE|Abort COMPLETE)";
static const char nodes_of[] = "\\bcomm " HEX " rank (\\d+) nRanks (\\d+) nNodes (\\d+)";
static const char call_of[] =
	"^(\\w+): opCount [0-9a-f]+ sendbuff \\S+ recvbuff \\S+(?: acc \\S+)? count (\\d+) "
	"datatype (\\d+) op -?\\d+ root (-?\\d+) comm " HEX " \\[nranks=(\\d+)\\] stream ";
static const char version_of[] = "NCCL version (2\\.\\d+(?:\\.\\d+)?)";

static struct pattern *compiled(struct arena *arena, const char *expression)
{
	const char *error = "";
	struct pattern *pattern = pattern_new(arena, expression, &error);

	if (!pattern)
		bug("%s", error);
	return pattern;
}

void nccl_lines_open(struct nccl_lines *lines, struct arena *arena)
{
	lines->prefix = compiled(arena, prefix);
	lines->communicator = compiled(arena, communicator);
	lines->nodes = compiled(arena, nodes_of);
	lines->call = compiled(arena, call_of);
	lines->version = compiled(arena, version_of);
}

void nccl_lines_close(struct nccl_lines *lines)
{
	pattern_release(lines->prefix);
	pattern_release(lines->communicator);
	pattern_release(lines->nodes);
	pattern_release(lines->call);
	pattern_release(lines->version);
}

static void copy(const struct pattern_part *part, char word[NCCL_WORD])
{
	const size_t length = part->length < NCCL_WORD - 1 ? part->length : NCCL_WORD - 1;

	if (part->text)
		memcpy(word, part->text, length);
	word[part->text ? length : 0] = '\0';
}

/* -1 for what was not printed, and for numbers beyond 18 digits. */
static int64_t number(const struct pattern_part *part)
{
	char word[NCCL_WORD];
	int64_t value;

	copy(part, word);
	return part->length && part->length < 19 && text_to_int(word, &value) ? value : -1;
}

/* "host:pid" of two parts; a name that is longer keeps its end, which has the pid. */
static void name_process(const struct pattern_part *host, const struct pattern_part *pid,
			 char process[NCCL_WORD])
{
	const size_t length = (size_t)(pid->text + pid->length - host->text), most = NCCL_WORD - 1,
		     cut = length > most ? length - most : 0;

	copy(&(struct pattern_part) { host->text + cut, length - cut }, process);
}

bool nccl_lines_split(struct nccl_lines *lines, const char *text, size_t length,
		      struct nccl_line *line)
{
	static const char info[] = "NCCL INFO ";
	struct pattern_part parts[4];

	memset(line, 0, sizeof(*line));
	line->told = -1;
	if (!text_mentions(text, length, "NCCL "))
		return false;
	if (pattern_take(lines->prefix, text, length, parts, 4)) {
		line->told = number(&parts[1]);
		name_process(&parts[2], &parts[3], line->process);
		line->text = parts[0].text + parts[0].length;
	} else {
		for (line->text = text; line->text + sizeof(info) <= text + length; line->text++)
			if (!memcmp(line->text, info, sizeof(info) - 1))
				break;
		if (line->text + sizeof(info) > text + length)
			return false;
		line->text += sizeof(info) - 1;
	}
	line->length = (size_t)(text + length - line->text);
	return true;
}

bool nccl_lines_communicator(struct nccl_lines *lines, const struct nccl_line *line,
			     struct nccl_communicator *found)
{
	struct pattern_part parts[11];

	if (!pattern_take(lines->communicator, line->text, line->length, parts, 11))
		return false;
	copy(&parts[1], found->pointer);
	found->rank = number(&parts[2]);
	found->ranks = number(&parts[3]);
	copy(&parts[4], found->bus);
	copy(&parts[5], found->parent);
	found->split = number(&parts[6]);
	found->color = number(&parts[7]);
	found->key = number(&parts[8]);
	copy(&parts[9], found->identity);
	found->made = parts[10].text[0] != 'I'	 ? NCCL_ENDED
		      : parts[10].text[5] == 'S' ? NCCL_STARTED
						 : NCCL_MADE;
	return found->ranks > 0 && found->rank >= 0 && found->rank < found->ranks;
}

bool nccl_lines_nodes(struct nccl_lines *lines, const struct nccl_line *line,
		      struct nccl_communicator *found, int64_t *nodes)
{
	struct pattern_part parts[5];

	if (!text_mentions(line->text, line->length, " nNodes ") ||
	    !pattern_take(lines->nodes, line->text, line->length, parts, 5))
		return false;
	memset(found, 0, sizeof(*found));
	copy(&parts[1], found->pointer);
	found->rank = number(&parts[2]);
	found->ranks = number(&parts[3]);
	*nodes = number(&parts[4]);
	return *nodes > 0 && found->ranks >= *nodes;
}

bool nccl_lines_call(struct nccl_lines *lines, const struct nccl_line *line, struct nccl_call *call)
{
	struct pattern_part parts[7];

	if (!text_mentions(line->text, line->length, ": opCount ") ||
	    !pattern_take(lines->call, line->text, line->length, parts, 7))
		return false;
	copy(&parts[1], call->op);
	call->count = number(&parts[2]);
	call->datatype = number(&parts[3]);
	call->root = number(&parts[4]);
	copy(&parts[5], call->pointer);
	call->ranks = number(&parts[6]);
	return call->count >= 0 && call->ranks > 0;
}

bool nccl_lines_version(struct nccl_lines *lines, const char *text, size_t length,
			char version[NCCL_WORD])
{
	struct pattern_part parts[2];

	if (!text_mentions(text, length, "NCCL version 2.") ||
	    !pattern_take(lines->version, text, length, parts, 2))
		return false;
	copy(&parts[1], version);
	return true;
}
