// OpenSSL's functions for keys from passwords.
#include <openssl/evp.h>
