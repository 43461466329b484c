// OpenSSL's functions for cryptography and for TLS.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>

// Swift cannot import these macros.
static const uint64_t ONEFIX_SSL_OPTIONS = SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION;
