/* Connections to servers while they are set up, encryption, and hosts that fall silent. */
#ifndef TRIB_NET_H
#define TRIB_NET_H

#include "connection.h"
#include "ktls.h"
#include "watch.h"

#endif
