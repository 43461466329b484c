/* The calls on a terminal device that Swift cannot make, or not safely: termios and ioctl. */
#ifndef ONEFIX_SERIAL_H
#define ONEFIX_SERIAL_H

/*
 * Every function returns 0 or more on success and a negated errno on failure.
 */

/*
 * Opens a terminal device for reading and writing without waiting for a carrier and without making it the
 * controlling terminal. Returns the descriptor; -ENOTTY where the path is something else.
 */
int onefix_serial_open(const char *path);

/*
 * Claims an open device: advisory lock, and TIOCEXCL where the device forgets that by itself when it is closed.
 * -EWOULDBLOCK or -EBUSY where another program holds it.
 */
int onefix_serial_claim(int descriptor);

/* Gives back what claim took. The descriptor stays open. */
int onefix_serial_release(int descriptor);

/*
 * Raw bytes, 8 data bits, no parity, 1 stop bit, no flow control, at a speed in bits per second.
 * -EINVAL where the device cannot, or where the speed is none of the standard ones.
 */
int onefix_serial_configure(int descriptor, unsigned int baud);

/* Drops what was received before now and has not been read. */
int onefix_serial_flush_input(int descriptor);

#endif
