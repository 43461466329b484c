/* Checks of the C shims, with real kernel objects if they are available. Run by Scripts/shims. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Ends the program if the condition is false. */
#define expect(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      fprintf(stderr, "%s:%d: %s is false\n", __FILE__, __LINE__, #condition);  \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

#define expect_equal(left, right)                                               \
  do {                                                                          \
    long long found = (long long)(left), wanted = (long long)(right);           \
    if (found != wanted) {                                                      \
      fprintf(stderr, "%s:%d: %s is %lld, not %s\n", __FILE__, __LINE__, #left, \
              found, #right);                                                   \
      exit(1);                                                                  \
    }                                                                           \
  } while (0)

void check_gpio(void);
void check_i2c(void);
void check_mosquitto(void);
void check_peer(void);
void check_serial(void);
void check_sqlite(void);
void check_toml(void);

#endif
