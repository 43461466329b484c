#ifndef VANISHING_H
#define VANISHING_H

/* Simulates a machine without power at one end of a connection: the kernel drops incoming packets and answers with
   no ACK, no FIN and no RST. Returns 0 or an errno. */
int connection_vanish(int descriptor);

#endif
