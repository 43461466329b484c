// The file functions of zlib, which read both gzip files and uncompressed files.
#ifndef ONEFIX_CZLIB_H
#define ONEFIX_CZLIB_H

#include <zlib.h>

#endif
