/* The calls on an I2C bus that Swift cannot make, or not safely: ioctl on /dev/i2c-N. */
#ifndef ONEFIX_I2C_H
#define ONEFIX_I2C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every function returns 0 or more on success and a negated errno on failure.
 */

/* Opens a bus. Returns the descriptor; -ENOTTY where the path is no I2C bus. */
int onefix_i2c_open(const char *path);

/*
 * The most bytes that a transaction can read: what messages of the kernel hold, or 32 where the adapter knows SMBus
 * only. -EOPNOTSUPP where it knows neither.
 */
int onefix_i2c_capacity(int descriptor);

/*
 * One transaction with a 7-bit address: writes, if there is anything to write, and, after a repeated start, reads, if
 * there is anything to read. On an adapter that knows SMBus only: either one byte written and 1 to 32 read, or 2 to 33
 * written.
 */
int onefix_i2c_transfer(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                        size_t input_count);

#endif
