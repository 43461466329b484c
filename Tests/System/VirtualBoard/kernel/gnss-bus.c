// SPDX-License-Identifier: GPL-2.0-only
/*
 * An I2C bus, /dev/i2c-1, with two GNSS receivers and a display on it:
 *
 *   0x42  as a u-blox receiver (DDC): the registers 0xFD and 0xFE hold how many bytes wait, 0xFF is their stream,
 *         which reads 0xFF when it is empty. The pointer goes one on with each byte read, and stays at 0xFF. A write of
 *         one byte sets the pointer; a longer one is input for the receiver. Its buffer holds 4 kB: what comes while
 *         it is full is lost. A receiver that is not read for 1.5 s stops its stream and forgets what was in it.
 *         (u-blox, "Receiver Description and Protocol Specification", DDC port)
 *   0x10  as a MediaTek receiver (MT3333): no registers, a read gives what waits and is filled up with line feeds.
 *         It needs 2 ms between two reads. (GlobalTop, "Application note: I2C interface")
 *   0x3C  as a display with 128 x 64 pixels and an SSD1306: the first byte of a write says whether commands (0x00) or
 *         pixels (0x40) follow. A byte of pixels is a column of eight, its lowest bit at the top. The column goes one
 *         on with each byte. The model knows the addressing by pages alone, which needs the command 0x20 0x02, and
 *         refuses a command that it does not know. (Solomon Systech, SSD1306 rev. 1.1, sections 8.1.5.2 and 9)
 *
 * /dev/oled gives the latest whole picture: one byte, which is 1 if the display is on, and the 1024 bytes that its memory
 * had at the latest command that switched the display on, which ends each picture of OneFix.
 * /dev/gnss-ddc and /dev/gnss-padded are the receivers' other side: what is written there they send, and a read gives
 * what was sent to them. Faults are ordered through the parameters in /sys/module/gnss_bus/parameters.
 */
#include <linux/delay.h>
#include <linux/i2c.h>
#include <linux/kfifo.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/string.h>

static int nak;
module_param(nak, int, 0644);
MODULE_PARM_DESC(nak, "refuse the next N transfers; -1: all, until set to 0");
static int timeout;
module_param(timeout, int, 0644);
MODULE_PARM_DESC(timeout, "let the next N transfers time out; -1: all, until set to 0");
static bool unplugged;
module_param(unplugged, bool, 0644);
MODULE_PARM_DESC(unplugged, "nothing answers on the bus");
static uint byte_us;
module_param(byte_us, uint, 0644);
MODULE_PARM_DESC(byte_us, "bus time of a byte in microseconds: 90 at 100 kHz");

static bool smbus_only;
module_param(smbus_only, bool, 0644);
MODULE_PARM_DESC(smbus_only, "the adapter reports SMBus functions and no I2C messages");

static ulong transfers;
module_param(transfers, ulong, 0444);
MODULE_PARM_DESC(transfers, "transfers that a receiver answered");
static ulong bytes_moved;
module_param(bytes_moved, ulong, 0444);
MODULE_PARM_DESC(bytes_moved, "bytes of those transfers, addresses included");
static ulong failed;
module_param(failed, ulong, 0444);
MODULE_PARM_DESC(failed, "transfers that failed");
static ulong hurried;
module_param(hurried, ulong, 0444);
MODULE_PARM_DESC(hurried, "reads at 0x10 within 2 ms of the one before");
static ulong stopped;
module_param(stopped, ulong, 0444);
MODULE_PARM_DESC(stopped, "times that the stream at 0x42 stopped because it was not read");

static ulong lost;
module_param(lost, ulong, 0444);
MODULE_PARM_DESC(lost, "bytes that a receiver could not send because its buffer was full or its stream was not read");

static int display_left = -1;
module_param(display_left, int, 0644);
MODULE_PARM_DESC(display_left, "the display answers only N more transfers; 0: none; -1: all");
static ulong display_frames;
module_param(display_frames, ulong, 0444);
MODULE_PARM_DESC(display_frames, "times that the display was switched on");
static ulong display_unknown;
module_param(display_unknown, ulong, 0444);
MODULE_PARM_DESC(display_unknown, "commands that the display does not know");

#define DDC_BUFFER		4096
#define STREAM_STOPS_US		1500000
#define READ_PAUSE_US		2000

struct receiver {
	struct kfifo sends;	/* to the bus */
	struct kfifo received;	/* from the bus */
	struct miscdevice device;
	ktime_t last_read;
	u8 address;
	u8 pointer;
};

#define DISPLAY_ADDRESS		0x3c
#define DISPLAY_PAGES		8
#define DISPLAY_COLUMNS		128

static struct {
	u8 is_on;
	u8 memory[DISPLAY_PAGES][DISPLAY_COLUMNS];
} __packed picture;
static u8 display_memory[DISPLAY_PAGES][DISPLAY_COLUMNS];
static u8 display_page, display_column;
static bool display_by_pages;

static DEFINE_MUTEX(lock);
static struct receiver ddc = { .address = 0x42, .pointer = 0xff, .device.name = "gnss-ddc" };
static struct receiver padded = { .address = 0x10, .device.name = "gnss-padded" };

static u8 ddc_next(void)
{
	u8 byte = 0xff;

	if (ddc.pointer == 0xfd)
		byte = kfifo_len(&ddc.sends) >> 8;
	else if (ddc.pointer == 0xfe)
		byte = kfifo_len(&ddc.sends) & 0xff;
	else if (ddc.pointer == 0xff && kfifo_out(&ddc.sends, &byte, 1) == 0)
		byte = 0xff;
	if (ddc.pointer != 0xff)
		ddc.pointer++;
	return byte;
}

static u8 padded_next(void)
{
	u8 byte;

	return kfifo_out(&padded.sends, &byte, 1) == 1 ? byte : '\n';
}

static void ddc_transfer(struct i2c_msg *message)
{
	int i;

	if (message->flags & I2C_M_RD) {
		ddc.last_read = ktime_get();
		for (i = 0; i < message->len; i++)
			message->buf[i] = ddc_next();
	} else if (message->len == 1) {
		ddc.pointer = message->buf[0];
	} else {
		kfifo_in(&ddc.received, message->buf, message->len);
	}
}

static void padded_transfer(struct i2c_msg *message)
{
	int i;

	if (message->flags & I2C_M_RD) {
		if (ktime_us_delta(ktime_get(), padded.last_read) < READ_PAUSE_US)
			hurried++;
		for (i = 0; i < message->len; i++)
			message->buf[i] = padded_next();
		padded.last_read = ktime_get();
	} else {
		kfifo_in(&padded.received, message->buf, message->len);
	}
}

/* Performs a command of the display. Returns the number of its bytes; 0 for an unknown command. */
static int display_command(const u8 *bytes, int count)
{
	u8 command = bytes[0];

	if (command <= 0x0f)
		display_column = (display_column & 0xf0) | command;
	else if (command <= 0x1f)
		display_column = (command & 0x0f) << 4 | (display_column & 0x0f);
	else if (command >= 0xb0 && command <= 0xb7)
		display_page = command & 7;
	else if (command == 0xae || command == 0xaf) {
		picture.is_on = command & 1;
		display_frames += picture.is_on;
		if (picture.is_on)
			memcpy(picture.memory, display_memory, sizeof(display_memory));
	} else if (command == 0x20 && count > 1) {
		display_by_pages = bytes[1] == 0x02;
		return 2;
	} else if (count > 1 && memchr("\x81\x8d\xa8\xd3\xd5\xd9\xda\xdb", command, 8))
		return 2;
	/* The start line, the orders of columns and rows, and the picture of the memory, not inverted, not scrolled. */
	else if (!memchr("\x40\xa0\xa1\xc0\xc8\xa4\xa6\x2e", command, 8))
		return 0;
	return 1;
}

static int display_transfer(const struct i2c_msg *message)
{
	int i, length;

	if (message->flags & I2C_M_RD || message->len < 2)
		return -ENXIO;
	for (i = 1; i < message->len; i += length) {
		length = 1;
		if (message->buf[0] == 0x40 && display_by_pages) {
			display_memory[display_page][display_column] = message->buf[i];
			display_column = (display_column + 1) % DISPLAY_COLUMNS;
			continue;
		}
		length = message->buf[0] == 0x00 ? display_command(message->buf + i, message->len - i) : 0;
		if (length == 0) {
			display_unknown++;
			return -ENXIO;
		}
	}
	return 0;
}

/* Decrements the counter of a requested fault. */
static bool is_due(int *fault)
{
	if (*fault > 0)
		--*fault;
	else if (*fault == 0)
		return false;
	return true;
}

static int answer(struct i2c_msg *messages, int count, ulong *bytes)
{
	int i;

	for (i = 0; i < count; i++)
		if (unplugged || (messages[i].addr != ddc.address && messages[i].addr != padded.address &&
				  messages[i].addr != DISPLAY_ADDRESS))
			return -ENXIO;
	if (is_due(&nak))
		return -ENXIO;
	if (is_due(&timeout))
		return -ETIMEDOUT;
	for (i = 0; i < count; i++) {
		if (messages[i].addr == DISPLAY_ADDRESS) {
			if (display_left == 0 || display_transfer(&messages[i]) < 0)
				return -ENXIO;
			if (display_left > 0)
				display_left--;
		}
		*bytes += messages[i].len + 1;
		if (messages[i].addr == DISPLAY_ADDRESS)
			continue;
		if (messages[i].addr == ddc.address)
			ddc_transfer(&messages[i]);
		else
			padded_transfer(&messages[i]);
	}
	return count;
}

static int transfer(struct i2c_adapter *adapter, struct i2c_msg *messages, int count)
{
	ulong bytes = 0;
	int result;

	mutex_lock(&lock);
	result = answer(messages, count, &bytes);
	if (result < 0)
		failed++;
	else
		transfers++;
	bytes_moved += bytes;
	mutex_unlock(&lock);
	if (bytes * byte_us > 0)
		usleep_range(bytes * byte_us, bytes * byte_us + 10);
	return result;
}

static u32 functionality(struct i2c_adapter *adapter)
{
	/* The kernel converts SMBus transfers to messages. (drivers/i2c/i2c-core-smbus.c) */
	return (smbus_only ? 0 : I2C_FUNC_I2C) | I2C_FUNC_SMBUS_EMUL;
}

static const struct i2c_algorithm algorithm = {
	.master_xfer = transfer,
	.functionality = functionality,
};

static struct i2c_adapter adapter = {
	.owner = THIS_MODULE,
	.name = "virtual board",
	.algo = &algorithm,
	.nr = 1,
};

static struct receiver *receiver_of(struct file *file)
{
	/* misc_open() stores the device here. */
	return container_of(file->private_data, struct receiver, device);
}

static ssize_t feed(struct file *file, const char __user *bytes, size_t count, loff_t *offset)
{
	struct receiver *receiver = receiver_of(file);
	unsigned int copied = 0;
	int result = 0;

	mutex_lock(&lock);
	if (receiver == &ddc && ddc.last_read &&
	    ktime_us_delta(ktime_get(), ddc.last_read) > STREAM_STOPS_US) {
		lost += kfifo_len(&ddc.sends);
		kfifo_reset(&ddc.sends);
		stopped++;
		ddc.last_read = 0;
	}
	if (!unplugged) {
		result = kfifo_from_user(&receiver->sends, bytes, count, &copied);
		lost += count - copied;
	}
	mutex_unlock(&lock);
	/* Bytes that do not fit are lost, as in the receiver. */
	return result ? result : count;
}

static ssize_t heard(struct file *file, char __user *bytes, size_t count, loff_t *offset)
{
	struct receiver *receiver = receiver_of(file);
	unsigned int copied;
	int result;

	mutex_lock(&lock);
	result = kfifo_to_user(&receiver->received, bytes, count, &copied);
	mutex_unlock(&lock);
	return result ? result : copied;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE,
	.write = feed,
	.read = heard,
	.llseek = noop_llseek,
};

static ssize_t look(struct file *file, char __user *bytes, size_t count, loff_t *offset)
{
	ssize_t result;

	mutex_lock(&lock);
	result = simple_read_from_buffer(bytes, count, offset, &picture, sizeof(picture));
	mutex_unlock(&lock);
	return result;
}

static const struct file_operations display_operations = {
	.owner = THIS_MODULE,
	.read = look,
	.llseek = noop_llseek,
};

static struct miscdevice oled = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "oled",
	.fops = &display_operations,
};

static int add(struct receiver *receiver)
{
	int result = kfifo_alloc(&receiver->sends, DDC_BUFFER, GFP_KERNEL);

	if (result)
		return result;
	result = kfifo_alloc(&receiver->received, DDC_BUFFER, GFP_KERNEL);
	if (result)
		goto no_received;
	receiver->device.minor = MISC_DYNAMIC_MINOR;
	receiver->device.fops = &operations;
	result = misc_register(&receiver->device);
	if (result)
		goto no_device;
	return 0;

no_device:
	kfifo_free(&receiver->received);
no_received:
	kfifo_free(&receiver->sends);
	return result;
}

static void discard(struct receiver *receiver)
{
	misc_deregister(&receiver->device);
	kfifo_free(&receiver->received);
	kfifo_free(&receiver->sends);
}

static int __init start(void)
{
	int result = add(&ddc);

	if (result)
		return result;
	result = add(&padded);
	if (result)
		goto no_padded;
	result = misc_register(&oled);
	if (result)
		goto no_oled;
	result = i2c_add_numbered_adapter(&adapter);
	if (result)
		goto no_adapter;
	return 0;

no_adapter:
	misc_deregister(&oled);
no_oled:
	discard(&padded);
no_padded:
	discard(&ddc);
	return result;
}
module_init(start);

static void __exit stop(void)
{
	i2c_del_adapter(&adapter);
	misc_deregister(&oled);
	discard(&padded);
	discard(&ddc);
}
module_exit(stop);

MODULE_DESCRIPTION("An I2C bus with a u-blox receiver, a MediaTek receiver and a display");
MODULE_LICENSE("GPL");
