#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>

/* Length of a digest in base64, its NUL included. */
enum { SHA256_BASE64 = 45 };

/* The SHA-256 digest (FIPS 180-4) of the bytes in base64 (RFC 4648), as browsers are told it. */
void sha256_base64(const char *bytes, size_t length, char text[SHA256_BASE64]);

#endif
