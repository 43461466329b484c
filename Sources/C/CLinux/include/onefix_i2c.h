/* The calls on an I2C bus that Swift cannot make, or not safely: ioctl on /dev/i2c-N, and libi2c's SMBus functions. */
#ifndef ONEFIX_I2C_H
#define ONEFIX_I2C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every function returns 0 or more on success and a negated errno on failure.
 */

/*
 * Opens a bus for transactions with a 7-bit address. Returns the descriptor; -ENOTTY if the path is no I2C bus, -EBUSY if
 * a driver of the kernel has the address.
 */
int onefix_i2c_open(const char *path, uint16_t address);

/*
 * The largest number of bytes that one transaction can read: the kernel's limit for a message, or 32 if the adapter
 * supports SMBus only. -EOPNOTSUPP if the adapter supports neither.
 */
int onefix_i2c_capacity(int descriptor);

/* Reads one byte and writes nothing (SMBus "receive byte"). Returns the byte. */
int onefix_i2c_read_byte(int descriptor);

/* Reads two registers (SMBus "read word"). Returns the first register in bits 0 to 7, the second in bits 8 to 15. */
int onefix_i2c_read_word(int descriptor, uint8_t first);

/*
 * One transaction: writes the output, if there is any, and, after a repeated start, reads the input, if there is any. On
 * an adapter that supports SMBus only: either one byte written and 1 to 32 read, or 2 to 33 written.
 */
int onefix_i2c_transfer(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                        size_t input_count);

#endif
