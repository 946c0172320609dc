/* Unit tests in files of their own. */
#ifndef TRIB_UNITS_H
#define TRIB_UNITS_H

void test_handshake(void);

#endif
