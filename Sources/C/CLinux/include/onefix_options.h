// The parser of a program's options in the C library.
#include <argp.h>
