#ifndef PLAN_MODEL_H
#define PLAN_MODEL_H

#include "base/arena.h"
#include "base/finding.h"
#include "base/vec.h"
#include "input/setting.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What is trained: the shape of the network and, derived from it, every
 * parameter by its fully qualified name. Counts are exact to the unit.
 */

/* The generations of names and shapes in which TorchTitan writes the same network. */
enum naming {
	NAMING_TITAN,	      /* v0.2.x: layers.N.attention.wq, output, experts w1 [E, ffn, dim] */
	NAMING_TITAN_LM_HEAD, /* v0.2.x, but for lm_head in output's place */
	NAMING_TITAN_V01,     /* v0.1.0 and before: llama4 experts transposed, w1 [E, dim, ffn] */
	NAMING_TITAN_HEAD     /* 2026: attention.qkv_linear.wqkv, lm_head,
				 moe.routed_experts.inner_experts */
};

/*
 * In what networks differ beyond their sizes: one row per family in family.c, where a
 * new one is added.
 */
struct family {
	const char *name;
	bool qk_norm;	      /* attention.q_norm and k_norm over each head */
	bool wide_qk_norm;    /* the same norms over all heads at once (OLMo 2) */
	bool attention_bias;  /* biases on wq, wk, wv, wo and the router; attention sinks */
	bool qkv_bias;	      /* biases on wq, wk, wv alone (Qwen2) */
	bool linear_bias;     /* biases on every linear layer and norm (GPT-2) */
	bool norm_bias;	      /* biases on norms alone (Falcon) */
	bool one_norm;	      /* attention and feed-forward share one norm (Falcon 7B) */
	bool fp32_norm;	      /* norms multiply by their weights in fp32 (Gemma, OLMo 2) */
	bool sandwich;	      /* norms behind attention and feed-forward, too (Gemma 2) */
	bool output_bias;     /* a bias on the output matrix (Phi-2) */
	bool shared_gate;     /* the shared expert has a gate of one row (Qwen2-MoE) */
	bool gated_mlp;	      /* w1, w2, w3 rather than w1, w2 */
	bool fused_experts;   /* experts are mlp1 (gate and up in one), mlp2, each with a bias */
	bool batched_experts; /* transformers multiplies all tokens by all experts */
	bool fetched_whole;   /* engines of ZeRO-3 know its block of experts by name */
	bool fused_qkv;	      /* from 2026 on queries, keys and values are one matrix */
	bool unlisted_sends;  /* its list of what TorchTitan keeps lacks what experts are sent */
	/* how transformers' modules compute it */
	bool packed_qkv;       /* one product makes queries, keys and values */
	bool packed_gate;      /* and one both branches of the feed-forward network */
	bool cut_rotary;       /* a part of each head is rotated, and the parts are joined again */
	bool spread_keys;      /* keys and values are laid out for all heads (Falcon 40B) */
	bool once_spread_keys; /* before transformers 5 (StableLM, OLMoE, Qwen2-MoE) */
	bool one_input;	       /* both norms of a block take the same (GPT-NeoX) */
	bool chained_gelu;     /* GELU by one operator after the other (GPT-2, Phi-2) */
	bool centred_norm;     /* LayerNorm by operators, in fp32 (Cohere) */
	bool capped;	       /* a hyperbolic tangent keeps scores and logits small (Gemma 2) */
	bool chunked; /* windows cut a sequence in pieces, none slides along with its query (Llama
			 4) */
	bool wide_router;   /* the router multiplies, and weights are, in fp32 */
	bool chained_gates; /* experts clamp, scale and gate by one operator after the other */
	bool dropout; /* 0.1 of what attention and feed-forward add, unless config.json differs */
};

/* The family of that name, or NULL. */
const struct family *family_find(const char *name);

enum { PARAMETER_DIMS = 4 };

/* One tensor of the model, before any sharding. */
struct parameter {
	const char *fqn; /* "layers.0.attention.wq.weight" */
	int dims;
	int64_t shape[PARAMETER_DIMS];
	int layer;   /* block it belongs to, or -1 */
	bool expert; /* a routed expert's weight: dim 0 is the expert */
	size_t like; /* the same one of the first block that is like its own, in the table */
};

/* Elements of a parameter. */
int64_t parameter_volume(const struct parameter *parameter);

struct model {
	const char *name; /* "llama3-8b", or "inline" */
	enum naming naming;
	const char *family; /* a name of family.c: llama3, deepseek_v3, qwen3, gpt, llama, ... */
	const struct family *traits;
	struct span span; /* where the config names it */
	int64_t layers, hidden, heads, kv_heads, head_dim, ffn, vocab;
	bool tied_embeddings, gated_mlp;
	bool qk_norm; /* qwen3 */
	bool biases;  /* gpt_oss: attention biases and sinks */
	int64_t experts, topk, expert_ffn, shared_ffn, dense_layers,
		interleave;				  /* experts 0: dense model */
	int64_t q_lora, kv_lora, qk_nope, qk_rope, v_dim; /* kv_lora 0: no MLA */
	int64_t learned_positions;			  /* rows of a position table, or 0 */
	int64_t mtp;					  /* multi-token-prediction layers */
	int64_t window;	       /* tokens that attention sees at most, or 0: all before the query */
	int64_t windowed;      /* blocks that have the window */
	const char *attention; /* kernel fixed by the flavour: sdpa, flex, varlen; or NULL */
	VEC(struct parameter)
	parameters;	/* in the order of the modules; a tied output is not there */
	int64_t total;	/* elements of all parameters; tied embeddings once */
	int64_t active; /* elements used per token: routed experts counted topk times */
};

/* A model in a sentence: "llama3-8b", or "the model" where the config has its sizes alone. */
const char *model_called(const struct model *model);

/*
 * Builds the model the settings ask for (model.preset, model.*; single fields override a
 * preset) and its parameter table. What the preset says and what follows by default is written
 * back into the settings that nobody set (ORIGIN_PRESET, ORIGIN_DERIVED, ORIGIN_DEFAULT).
 * NULL when no model is given; NULL after a finding when it is not complete or not known.
 */
struct model *model_new(struct arena *arena, struct settings *settings, enum naming naming,
			struct findings *findings);

/*
 * The sizes that a model lacks of which others are given: "model.vocab, model.ffn". NULL: it lacks
 * none, or nothing is given.
 */
const char *model_wants(struct arena *arena, const struct settings *settings);

/*
 * The same for a model that may well be `like`, or NULL: then it shares the parameter table, which
 * lives as long as `like` does.
 */
struct model *model_new_like(struct arena *arena, struct settings *settings, enum naming naming,
			     const struct model *like, struct findings *findings);

/* "layers.3", as modules and parameters of that block begin; plans name thousands of them. */
const char *model_layer_name(struct arena *arena, int64_t layer);

/* True when block `layer` has routed experts. */
bool model_layer_has_experts(const struct model *model, int64_t layer);

/* Fills `parameters`, `total` and `active` from the sizes. False when they do not fit 63 bits. */
bool model_parameters(struct arena *arena, struct model *model, enum naming naming);

/*
 * Presets are files: src/presets/models/NAME.yaml holds the model NAME, each number under the
 * key it has below `model:` in a config, beside `family`, `source` (where the numbers are from)
 * and, for a variant, `like` (the preset it differs from).
 */

/* Names of all presets, sorted, ended by NULL. */
const char *const *model_presets(struct arena *arena);

/*
 * Puts a preset into the model settings that nobody set. Returns its family, or NULL when
 * there is no such preset.
 */
const struct family *model_preset_apply(struct arena *arena, struct settings *settings,
					const char *name);

/* The preset that somebody may have meant by a name that none has, or NULL. */
const char *model_preset_near(struct arena *arena, const char *name);

/* The whole model of a preset, or NULL. */
struct model *model_of_preset(struct arena *arena, const char *name);

/* What can be found while building a model; all in the rule catalogue. */
extern const struct rule_id rule_incomplete_model;

#endif
