#ifndef FRAMEWORK_TORCH_EXCEPTIONS_H
#define FRAMEWORK_TORCH_EXCEPTIONS_H

#include "plan/exception.h"

enum pytorch_exception {
#define EXCEPTION(id, speaker, text, where, rule, also) PYTORCH_##id,
#include "framework/torch/exceptions.def"
#undef EXCEPTION
	PYTORCH_EXCEPTIONS
};

extern const struct exceptions exceptions_torch;

/* PYTORCH(ZBV): the row of that id. */
#define PYTORCH(id) (&exceptions_torch.rows[PYTORCH_##id])

#endif
