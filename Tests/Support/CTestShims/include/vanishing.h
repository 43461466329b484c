#ifndef VANISHING_H
#define VANISHING_H

/*
 * Lets one end of a connection vanish as a machine without power does: the kernel drops what comes for it, and answers with
 * no ACK, no FIN and no RST. Returns 0 or an errno.
 */
int connection_vanish(int descriptor);

#endif
