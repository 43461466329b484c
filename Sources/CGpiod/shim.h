// libgpiod, 1.6 or 2.x: see CGpiodShim, which is the only one that uses it.
#ifndef ONEFIX_CGPIOD_H
#define ONEFIX_CGPIOD_H

#include <gpiod.h>

#endif
