#define _GNU_SOURCE
#include "onefix_i2c.h"
#include "check.h"

#include <errno.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* An adapter with a receiver that returns the last written byte plus one, then plus two, and so on. */
static struct {
  ino_t inode;
  unsigned long functions;
  /* The address of the receiver. Other addresses fail with an error of the kernel. */
  unsigned int address;
  int refusal;
  /* The number of messages that are transferred. */
  int most_messages;
  /* The number of bytes of a block that are returned. */
  unsigned int most_bytes;
  uint8_t last;
  unsigned int slave;
  /* The error with which the kernel refuses an address. 0 if it accepts the address. */
  int taken;
} adapter;

static int refused(int number) {
  errno = number;
  return -1;
}

static int transfer(struct i2c_rdwr_ioctl_data *call) {
  int made = 0;
  for (; made < (int)call->nmsgs && made < adapter.most_messages; made++) {
    struct i2c_msg *message = &call->msgs[made];
    if (message->addr != adapter.address) return refused(adapter.refusal);
    for (unsigned int i = 0; i < message->len; i++) {
      if (message->flags & I2C_M_RD) message->buf[i] = ++adapter.last;
      else adapter.last = message->buf[i];
    }
  }
  return made;
}

static int transfer_smbus(struct i2c_smbus_ioctl_data *call) {
  if (adapter.slave != adapter.address) return refused(adapter.refusal);
  uint8_t *block = call->data->block;
  switch (call->size) {
  case I2C_SMBUS_BYTE:
    expect_equal(call->read_write, I2C_SMBUS_READ);
    call->data->byte = ++adapter.last;
    return 0;
  case I2C_SMBUS_WORD_DATA:
    expect_equal(call->read_write, I2C_SMBUS_READ);
    adapter.last = (uint8_t)(call->command + 2);
    call->data->word = (uint16_t)((call->command + 2) << 8 | (call->command + 1));
    return 0;
  case I2C_SMBUS_I2C_BLOCK_DATA: break;
  /* The command with which the library requests all 32 bytes. Kernels before 2.6.23 support it too. */
  case I2C_SMBUS_I2C_BLOCK_BROKEN: block[0] = I2C_SMBUS_BLOCK_MAX; break;
  /* No other command is valid, in particular no quick write. */
  default: expect(0);
  }
  expect(block[0] >= 1 && block[0] <= I2C_SMBUS_BLOCK_MAX);
  if (call->read_write == I2C_SMBUS_READ) {
    if (block[0] > adapter.most_bytes) block[0] = (uint8_t)adapter.most_bytes;
    adapter.last = call->command;
    for (unsigned int i = 1; i <= block[0]; i++) block[i] = ++adapter.last;
  } else {
    adapter.last = block[block[0]];
  }
  return 0;
}

int __real_ioctl(int descriptor, unsigned long request, ...);

/* Replaces the kernel for the descriptor of the adapter. */
int __wrap_ioctl(int descriptor, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  struct stat status;
  if (adapter.inode == 0 || fstat(descriptor, &status) != 0 || status.st_ino != adapter.inode)
    return __real_ioctl(descriptor, request, argument);
  switch (request) {
  case I2C_FUNCS: memcpy(argument, &adapter.functions, sizeof adapter.functions); return 0;
  case I2C_SLAVE:
    if (adapter.taken != 0) return refused(adapter.taken);
    adapter.slave = (unsigned int)(unsigned long)argument;
    return 0;
  case I2C_RDWR: return transfer(argument);
  case I2C_SMBUS: return transfer_smbus(argument);
  default: return refused(ENOTTY);
  }
}

/* Runs one transaction with buffers of exactly the required size. */
static int exchange(int bus, size_t writes, size_t reads) {
  uint8_t *output = malloc(writes ? writes : 1), *input = malloc(reads ? reads : 1);
  expect(output && input);
  for (size_t i = 0; i < writes; i++) output[i] = (uint8_t)(i + 7);
  memset(input, 0xEE, reads ? reads : 1);
  int result = onefix_i2c_transfer(bus, 0x42, output, writes, input, reads);
  if (result == 0 && writes > 0)
    for (size_t i = 0; i < reads; i++) expect_equal(input[i], (uint8_t)(writes + 7 + i));
  free(output);
  free(input);
  return result;
}

static void check_messages(int bus) {
  adapter.functions = I2C_FUNC_I2C;
  expect_equal(onefix_i2c_capacity(bus), 8192);
  const size_t counts[] = {0, 1, 2, 33, 255, 8191, 8192};
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
    for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j++)
      expect_equal(exchange(bus, counts[i], counts[j]), counts[i] + counts[j] == 0 ? -EINVAL : 0);
    expect_equal(exchange(bus, counts[i], 8193), -EINVAL);
    expect_equal(exchange(bus, 8193, counts[i]), -EINVAL);
  }
  adapter.most_messages = 1;
  expect_equal(exchange(bus, 1, 1), -EIO);
  adapter.most_messages = 2;
  uint8_t byte = 0;
  expect_equal(onefix_i2c_transfer(bus, 0x10, &byte, 1, NULL, 0), -ENXIO);
}

static void check_blocks(int bus) {
  const unsigned long needed[] = {
      I2C_FUNC_SMBUS_READ_WORD_DATA, I2C_FUNC_SMBUS_READ_I2C_BLOCK, I2C_FUNC_SMBUS_WRITE_I2C_BLOCK};
  unsigned long all = 0;
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) all |= needed[i];
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    adapter.functions = all & ~needed[i];
    expect_equal(onefix_i2c_capacity(bus), -EOPNOTSUPP);
  }
  adapter.functions = all;
  expect_equal(onefix_i2c_capacity(bus), 32);
  for (size_t count = 0; count <= 40; count++) {
    expect_equal(exchange(bus, 1, count), count >= 1 && count <= 32 ? 0 : -EOPNOTSUPP);
    expect_equal(exchange(bus, count, 0), count == 0 ? -EINVAL : count >= 2 && count <= 33 ? 0 : -EOPNOTSUPP);
    expect_equal(exchange(bus, 2, count + 1), -EOPNOTSUPP);
  }
  adapter.most_bytes = 31;
  expect_equal(exchange(bus, 1, 32), -EIO);
  expect_equal(exchange(bus, 1, 31), 0);
}

/* Checks the reads that need only SMBus, on any adapter. */
static void check_reads(int bus) {
  adapter.last = 6;
  expect_equal(onefix_i2c_read_byte(bus), 7);
  expect_equal(onefix_i2c_read_word(bus, 0xFD), 0xFFFE);
  expect_equal(onefix_i2c_read_word(bus, 0), 0x0201);
  adapter.address = 0x10;
  expect_equal(onefix_i2c_read_byte(bus), -ENXIO);
  expect_equal(onefix_i2c_read_word(bus, 0xFD), -ENXIO);
  uint8_t bytes[2] = {0};
  expect_equal(onefix_i2c_transfer(bus, 0x42, bytes, 2, NULL, 0), -ENXIO);
  expect_equal(onefix_i2c_transfer(bus, 0x42, bytes, 1, bytes, 2), -ENXIO);
  adapter.address = 0x42;
}

void check_i2c(void) {
  expect_equal(onefix_i2c_open("/nowhere", 0x42), -ENOENT);
  expect_equal(onefix_i2c_open("/dev/null", 0x42), -ENOTTY);
  expect_equal(onefix_i2c_capacity(-1), -EBADF);
  uint8_t byte = 0;
  expect_equal(onefix_i2c_transfer(-1, 0x42, &byte, 1, NULL, 0), -EBADF);
  expect_equal(onefix_i2c_read_byte(-1), -EBADF);
  expect_equal(onefix_i2c_read_word(-1, 0xFD), -EBADF);

  int file = memfd_create("i2c", MFD_CLOEXEC);
  struct stat status;
  expect_equal(fstat(file, &status), 0);
  adapter.inode = status.st_ino;
  adapter.address = 0x42;
  adapter.refusal = ENXIO;
  adapter.most_messages = 2;
  adapter.most_bytes = 32;
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  adapter.taken = EBUSY;
  expect_equal(onefix_i2c_open(path, 0x42), -EBUSY);
  adapter.taken = 0;
  int bus = onefix_i2c_open(path, 0x42);
  expect(bus >= 0);
  expect_equal(onefix_i2c_capacity(bus), -EOPNOTSUPP);
  check_messages(bus);
  check_reads(bus);
  check_blocks(bus);
  check_reads(bus);
  close(bus);
  close(file);
  expect_equal(onefix_i2c_capacity(bus), -EBADF);
  adapter.inode = 0;
}
