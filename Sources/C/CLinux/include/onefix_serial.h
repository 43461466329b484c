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

/*
 * The same for a port at which a person sits, or a program that speaks in lines. A break is read as the bytes
 * 0xFF 0x00 0x00, and the byte 0xFF as 0xFF 0xFF (termios(3), PARMRK). With a modem the port hangs up when the last one
 * closes it, and a carrier that is lost is the end of what is read.
 */
int onefix_serial_configure_marked(int descriptor, unsigned int baud, int has_modem);

/* 1 where the device is a pseudo-terminal of this process's user or of root; else 0. */
int onefix_serial_is_own_pseudo_terminal(int descriptor);

/* Drops what was written and has not been sent. */
int onefix_serial_flush_output(int descriptor);

/* Bytes that were written and have not been sent. */
int onefix_serial_unsent(int descriptor);

/* 0 where the device has gone or its other end has hung up; else 1. */
int onefix_serial_is_there(int descriptor);

/* Drops what was received before now and has not been read. */
int onefix_serial_flush_input(int descriptor);

#endif
