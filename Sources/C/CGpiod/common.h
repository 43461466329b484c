#ifndef ONEFIX_GPIOD_SHIM_COMMON_H
#define ONEFIX_GPIOD_SHIM_COMMON_H

#include "gpiod_shim.h"

#include <errno.h>
#include <gpiod.h>
#include <stdlib.h>
#include <string.h>

/* Returns the negated errno of a failed call of libgpiod, or -EIO if the call did not set errno. */
static inline int failure(void) { return errno > 0 ? -errno : -EIO; }

static inline void copy_name(char to[ONEFIX_GPIO_NAME], const char *from) {
  strncpy(to, from ? from : "", ONEFIX_GPIO_NAME - 1);
  to[ONEFIX_GPIO_NAME - 1] = 0;
}

#endif
