#include "onefix_peer.h"

#include <malloc.h>

void onefix_return_memory(void) { malloc_trim(0); }
