#ifndef FRAMEWORK_TORCH_ELEMENT_TYPE_H
#define FRAMEWORK_TORCH_ELEMENT_TYPE_H

/* A type of elements, by the names of c10/core/ScalarType.h. */
struct element_type {
	const char *name;  /* in C++, as traces and dumps have it: "BFloat16" */
	const char *dtype; /* in Python: "bfloat16" */
	int bytes;	   /* of an element */
};

/* The type that Python or C++ calls so, in either case of letters; NULL when it is not known. */
const struct element_type *element_type_find(const char *name);

#endif
