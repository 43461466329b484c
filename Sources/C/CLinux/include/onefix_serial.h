/* Calls on a terminal device that Swift cannot make, or cannot make safely: termios and ioctl. */
#ifndef ONEFIX_SERIAL_H
#define ONEFIX_SERIAL_H

/*
 * Every function returns 0 or more on success and a negated errno on failure.
 */

/*
 * Opens a terminal device for reading and writing. Does not wait for a carrier, and does not make the device the
 * controlling terminal. Returns the descriptor; -ENOTTY if the path is not a terminal device.
 */
int onefix_serial_open(const char *path);

/*
 * Claims an open device with an advisory lock, and with TIOCEXCL if the device clears it at the last close. Returns
 * -EWOULDBLOCK or -EBUSY if another program has claimed the device.
 */
int onefix_serial_claim(int descriptor);

/* Releases the claim. The descriptor stays open. */
int onefix_serial_release(int descriptor);

/*
 * Configures the device for raw bytes, 8 data bits, no parity, 1 stop bit, no flow control, and a speed in bits per
 * second. Returns -EINVAL if the device does not support these settings, or if the speed is not a standard speed.
 */
int onefix_serial_configure(int descriptor, unsigned int baud);

/*
 * Configures the device like `onefix_serial_configure`, for a terminal of a user or for a program that sends lines. A
 * break is read as the bytes 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF (termios(3), PARMRK). If `has_modem` is 1,
 * the last close hangs up the modem, and a lost carrier ends the input.
 */
int onefix_serial_configure_marked(int descriptor, unsigned int baud, int has_modem);

/* Returns 1 if the device is a pseudo-terminal of this process's user or of root, otherwise 0. */
int onefix_serial_is_own_pseudo_terminal(int descriptor);

/* Discards output that was not sent yet. */
int onefix_serial_flush_output(int descriptor);

/* Returns the number of bytes that were written but not sent yet. */
int onefix_serial_unsent(int descriptor);

/* Returns 0 if the device was removed or its other end has hung up, otherwise 1. */
int onefix_serial_is_there(int descriptor);

/* Discards input that was not read yet. */
int onefix_serial_flush_input(int descriptor);

#endif
