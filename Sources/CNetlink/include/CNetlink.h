// SPDX-License-Identifier: Apache-2.0
#ifndef SIDING_CNETLINK_H
#define SIDING_CNETLINK_H

#include <stddef.h>
#include <stdint.h>

/* What of rtnetlink(7) Swift cannot say: its sockaddr_nl is not in the C library's Swift module, and the kernel's headers
 * are made of macros. */

/// What the kernel's messages were about, as a set of bits.
enum {
    /// A network interface came, went, or went up or down, its carrier included.
    SIDING_NETLINK_LINK = 1 << 0,
    /// An address was given, taken, or became usable.
    SIDING_NETLINK_ADDRESS = 1 << 1,
    /// A route was added, changed or removed.
    SIDING_NETLINK_ROUTE = 1 << 2,
    /// Some messages were lost: something changed, look again.
    SIDING_NETLINK_MISSED = 1 << 3,
};

/// Opens a socket to which the kernel tells each change of links, IPv4 and IPv6 addresses, and IPv4 and IPv6 routes, of
/// the calling thread's network namespace. It does not block, and is not inherited by programs that are started.
///
/// Returns the descriptor, which is the caller's to close; -1 with errno where it cannot be had: EAFNOSUPPORT where
/// the address family is forbidden, EPERM where a filter forbids it, EMFILE, ENOBUFS.
int siding_netlink_open(void);

/// Takes the messages that wait, at most 256 of them, and adds what they tell to `changes`. Where more wait, the
/// descriptor stays readable.
///
/// Only the kernel is believed: what other processes send is thrown away. An overflow of the socket's buffer is
/// SIDING_NETLINK_MISSED, not an error. Returns 0; -1 with errno where the descriptor is of no more use.
int siding_netlink_take(int descriptor, uint32_t *changes);

/// What a buffer of messages tells. A message that is not whole is SIDING_NETLINK_MISSED.
uint32_t siding_netlink_changes(const void *messages, size_t length);

#endif
