#include "onefix_i2c.h"

#include <errno.h>
#include <fcntl.h>
#include <i2c/smbus.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The maximum length of a message in the kernel. (drivers/i2c/i2c-dev.c) */
#define CAPACITY 8192

/* The SMBus functions that a u-blox receiver needs if the adapter does not support I2C messages. */
#define SMBUS_FUNCTIONS \
  (I2C_FUNC_SMBUS_READ_WORD_DATA | I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK)

static int functions(int descriptor, unsigned long *found) {
  return ioctl(descriptor, I2C_FUNCS, found) < 0 ? -errno : 0;
}

int onefix_i2c_open(const char *path, uint16_t address) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return -errno;
  unsigned long found;
  int failure = 0;
  if (functions(descriptor, &found) != 0) failure = -ENOTTY;
  else if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0) failure = -errno;
  if (failure == 0) return descriptor;
  close(descriptor);
  return failure;
}

int onefix_i2c_capacity(int descriptor) {
  unsigned long found;
  int failed = functions(descriptor, &found);
  if (failed != 0) return failed;
  if (found & I2C_FUNC_I2C) return CAPACITY;
  return (found & SMBUS_FUNCTIONS) == SMBUS_FUNCTIONS ? I2C_SMBUS_BLOCK_MAX : -EOPNOTSUPP;
}

int onefix_i2c_read_byte(int descriptor) { return i2c_smbus_read_byte(descriptor); }

int onefix_i2c_read_word(int descriptor, uint8_t first) { return i2c_smbus_read_word_data(descriptor, first); }

static int transfer_blocks(int descriptor, const uint8_t *output, size_t output_count, uint8_t *input,
                           size_t input_count) {
  if (output_count == 1 && input_count >= 1 && input_count <= I2C_SMBUS_BLOCK_MAX) {
    /* The library copies as many bytes as the kernel reports, so the buffer has the maximum length. */
    uint8_t block[I2C_SMBUS_BLOCK_MAX];
    int count = i2c_smbus_read_i2c_block_data(descriptor, output[0], (uint8_t)input_count, block);
    if (count < 0) return count;
    if ((size_t)count < input_count) return -EIO;
    memcpy(input, block, input_count);
    return 0;
  }
  if (input_count == 0 && output_count >= 2 && output_count <= I2C_SMBUS_BLOCK_MAX + 1)
    return i2c_smbus_write_i2c_block_data(descriptor, output[0], (uint8_t)(output_count - 1), output + 1);
  return -EOPNOTSUPP;
}

int onefix_i2c_transfer(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                        size_t input_count) {
  if (output_count > CAPACITY || input_count > CAPACITY || output_count + input_count == 0) return -EINVAL;
  unsigned long found;
  int failed = functions(descriptor, &found);
  if (failed != 0) return failed;
  if (!(found & I2C_FUNC_I2C)) return transfer_blocks(descriptor, output, output_count, input, input_count);

  /*
   * Streams use I2C messages if the adapter supports them. An SMBus transaction reads at most 32 bytes, and it first
   * writes a byte. A MediaTek receiver has no registers, and takes that byte as input. With SMBus such a receiver could
   * be read only byte by byte, with 2 ms between two reads. The table shows one second on a bus at 100 kHz, for 10
   * epochs of 240 bytes (computed on the emulated bus of Tests/Hardware/LinuxHardwareTests, "at 10 Hz …"):
   *
   *                 I2C messages                  SMBus
   *      u-blox     47 transactions, bus 238 ms   108 transactions, bus 265 ms
   *      MediaTek   23 transactions, bus 537 ms   458 transactions, which read 458 of 2,400 bytes
   */
  struct i2c_msg messages[2];
  unsigned int count = 0;
  if (output_count > 0)
    messages[count++] =
        (struct i2c_msg){.addr = address, .flags = 0, .len = (uint16_t)output_count, .buf = (uint8_t *)output};
  if (input_count > 0)
    messages[count++] = (struct i2c_msg){.addr = address, .flags = I2C_M_RD, .len = (uint16_t)input_count, .buf = input};
  struct i2c_rdwr_ioctl_data call = {.msgs = messages, .nmsgs = count};
  int made = ioctl(descriptor, I2C_RDWR, &call);
  if (made < 0) return -errno;
  return made == (int)count ? 0 : -EIO;
}
