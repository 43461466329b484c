#include "onefix_i2c.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The kernel refuses longer messages. (drivers/i2c/i2c-dev.c) */
#define CAPACITY 8192

static int functions(int descriptor, unsigned long *found) {
  return ioctl(descriptor, I2C_FUNCS, found) < 0 ? -errno : 0;
}

int onefix_i2c_open(const char *path) {
  int descriptor = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0) return -errno;
  unsigned long found;
  if (functions(descriptor, &found) != 0) {
    close(descriptor);
    return -ENOTTY;
  }
  return descriptor;
}

int onefix_i2c_capacity(int descriptor) {
  unsigned long found;
  int failed = functions(descriptor, &found);
  if (failed != 0) return failed;
  if (found & I2C_FUNC_I2C) return CAPACITY;
  unsigned long blocks = I2C_FUNC_SMBUS_READ_I2C_BLOCK | I2C_FUNC_SMBUS_WRITE_I2C_BLOCK;
  return (found & blocks) == blocks ? I2C_SMBUS_BLOCK_MAX : -EOPNOTSUPP;
}

static int transfer_smbus(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                          size_t input_count) {
  int reads = output_count == 1 && input_count >= 1 && input_count <= I2C_SMBUS_BLOCK_MAX;
  int writes = input_count == 0 && output_count >= 2 && output_count <= I2C_SMBUS_BLOCK_MAX + 1;
  if (!reads && !writes) return -EOPNOTSUPP;
  if (ioctl(descriptor, I2C_SLAVE, (unsigned long)address) < 0) return -errno;
  union i2c_smbus_data data;
  memset(&data, 0, sizeof data);
  data.block[0] = (uint8_t)(reads ? input_count : output_count - 1);
  if (writes) memcpy(data.block + 1, output + 1, output_count - 1);
  struct i2c_smbus_ioctl_data call = {
      .read_write = reads ? I2C_SMBUS_READ : I2C_SMBUS_WRITE,
      .command = output[0],
      .size = I2C_SMBUS_I2C_BLOCK_DATA,
      .data = &data,
  };
  if (ioctl(descriptor, I2C_SMBUS, &call) < 0) return -errno;
  if (reads) {
    if (data.block[0] < input_count) return -EIO;
    memcpy(input, data.block + 1, input_count);
  }
  return 0;
}

int onefix_i2c_transfer(int descriptor, uint16_t address, const uint8_t *output, size_t output_count, uint8_t *input,
                        size_t input_count) {
  if (output_count > CAPACITY || input_count > CAPACITY || output_count + input_count == 0) return -EINVAL;
  unsigned long found;
  int failed = functions(descriptor, &found);
  if (failed != 0) return failed;
  if (!(found & I2C_FUNC_I2C))
    return transfer_smbus(descriptor, address, output, output_count, input, input_count);

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
