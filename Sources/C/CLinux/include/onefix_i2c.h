/*
 * Calls on an I2C bus that Swift cannot make, or cannot make safely: ioctl on /dev/i2c-N, and the SMBus functions of
 * libi2c.
 */
#ifndef ONEFIX_I2C_H
#define ONEFIX_I2C_H

#include <stddef.h>
#include <stdint.h>

/*
 * Every function returns 0 or more on success and a negated errno on failure.
 */

/*
 * Opens a bus for transactions with a 7-bit address. Returns the descriptor; -ENOTTY if the path is not an I2C bus,
 * -EBUSY if a kernel driver uses the address.
 */
int onefix_i2c_open(const char *path, uint16_t address);

/*
 * Returns the maximum number of bytes that one transaction can read: the kernel's limit for a message, or 32 if the
 * adapter supports only SMBus. Returns -EOPNOTSUPP if the adapter supports neither.
 */
int onefix_i2c_capacity(int descriptor);

/* Reads one byte and writes nothing (SMBus "receive byte"). Returns the byte. */
int onefix_i2c_read_byte(int descriptor);

/* Reads two registers (SMBus "read word"). Returns the first register in bits 0 to 7, the second in bits 8 to 15. */
int onefix_i2c_read_word(int descriptor, uint8_t first);

/*
 * Performs one transaction: writes the output, then reads the input after a repeated start. Output or input may be
 * empty. An adapter that supports only SMBus can either write one byte and read 1 to 32 bytes, or write 2 to 33 bytes.
 */
int onefix_i2c_transfer(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                        size_t input_count);

#endif
