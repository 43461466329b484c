// zlib's files, which read gzip and everything else alike.
#ifndef ONEFIX_CZLIB_H
#define ONEFIX_CZLIB_H

#include <zlib.h>

#endif
