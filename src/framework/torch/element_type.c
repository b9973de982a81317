#include "framework/torch/element_type.h"

#include <stddef.h>
#include <strings.h>

const struct element_type *element_type_find(const char *name)
{
	static const struct element_type rows[] = {
		{ "Float", "float32", 4 },
		{ "BFloat16", "bfloat16", 2 },
		{ "Half", "float16", 2 },
		{ "Double", "float64", 8 },
		{ "Long", "int64", 8 },
		{ "Int", "int32", 4 },
		{ "Short", "int16", 2 },
		{ "Char", "int8", 1 },
		{ "Byte", "uint8", 1 },
		{ "UInt16", "uint16", 2 },
		{ "UInt32", "uint32", 4 },
		{ "UInt64", "uint64", 8 },
		{ "Bool", "bool", 1 },
		{ "Float8_e4m3fn", "float8_e4m3fn", 1 },
		{ "Float8_e5m2", "float8_e5m2", 1 },
		{ "Float8_e4m3fnuz", "float8_e4m3fnuz", 1 },
		{ "Float8_e5m2fnuz", "float8_e5m2fnuz", 1 },
		{ "Float8_e8m0fnu", "float8_e8m0fnu", 1 },
		{ "Float4_e2m1fn_x2", "float4_e2m1fn_x2", 1 },
		{ "ComplexHalf", "complex32", 4 },
		{ "ComplexFloat", "complex64", 8 },
		{ "ComplexDouble", "complex128", 16 },
		{ "QUInt8", "quint8", 1 },
		{ "QInt8", "qint8", 1 },
		{ "QInt32", "qint32", 4 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcasecmp(rows[i].name, name) || !strcasecmp(rows[i].dtype, name))
			return &rows[i];
	return NULL;
}
