// SPDX-License-Identifier: Apache-2.0
/* Listening to rtnetlink(7): messages as in netlink(7), walked by copying, so that nothing need be aligned. */
#include "CNetlink.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/// Messages that one call takes, so that a storm cannot hold it for ever.
enum { MESSAGES_PER_CALL = 256 };

/// Longer than what the kernel tells of one link, address or route; a longer message is cut, which counts as missed.
enum { BUFFER_LENGTH = 16 * 1024 };

static size_t aligned(size_t length) {
    return (length + NLMSG_ALIGNTO - 1) & ~(size_t)(NLMSG_ALIGNTO - 1);
}

/// Whether a message about a link is an event of its radio, such as the end of a scan: those come in hundreds, under
/// the type of a changed link, and the link is as before.
static int is_radio_event(const unsigned char *message, size_t length) {
    size_t at = aligned(sizeof(struct nlmsghdr)) + aligned(sizeof(struct ifinfomsg));
    struct rtattr attribute;
    while (at + sizeof attribute <= length) {
        memcpy(&attribute, message + at, sizeof attribute);
        if (attribute.rta_type == IFLA_WIRELESS) return 1;
        if (attribute.rta_len < sizeof attribute) return 0;
        at += aligned(attribute.rta_len);
    }
    return 0;
}

static uint32_t change(const unsigned char *message, const struct nlmsghdr *header) {
    switch (header->nlmsg_type) {
    case RTM_NEWLINK: return is_radio_event(message, header->nlmsg_len) ? 0 : SIDING_NETLINK_LINK;
    case RTM_DELLINK: return SIDING_NETLINK_LINK;
    case RTM_NEWADDR: case RTM_DELADDR: return SIDING_NETLINK_ADDRESS;
    case RTM_NEWROUTE: case RTM_DELROUTE: return SIDING_NETLINK_ROUTE;
    case NLMSG_OVERRUN: return SIDING_NETLINK_MISSED;
    default: return 0;
    }
}

uint32_t siding_netlink_changes(const void *messages, size_t length) {
    const unsigned char *at = messages;
    uint32_t changes = 0;
    struct nlmsghdr header;
    while (length >= sizeof header) {
        memcpy(&header, at, sizeof header);
        if (header.nlmsg_len < sizeof header || header.nlmsg_len > length) return changes | SIDING_NETLINK_MISSED;
        changes |= change(at, &header);
        size_t step = aligned(header.nlmsg_len);
        if (step >= length) return changes;
        at += step;
        length -= step;
    }
    return changes;
}

int siding_netlink_open(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    int code = errno;
    close(descriptor);
    errno = code;
    return -1;
}

int siding_netlink_take(int descriptor, uint32_t *changes) {
    unsigned char buffer[BUFFER_LENGTH];
    for (int taken = 0; taken < MESSAGES_PER_CALL; taken++) {
        struct sockaddr_nl sender = {0};
        struct iovec part = {.iov_base = buffer, .iov_len = sizeof buffer};
        struct msghdr message = {
            .msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1,
        };
        ssize_t length = recvmsg(descriptor, &message, MSG_DONTWAIT);
        if (length >= 0) {
            // Port 0 is the kernel's; whoever may administer the network can write to this socket too.
            if (message.msg_namelen != sizeof sender || sender.nl_pid != 0) continue;
            if (message.msg_flags & MSG_TRUNC) *changes |= SIDING_NETLINK_MISSED;
            *changes |= siding_netlink_changes(buffer, (size_t)length);
        } else if (errno == ENOBUFS) {
            *changes |= SIDING_NETLINK_MISSED;
        } else if (errno == EAGAIN) {
            return 0;
        } else if (errno != EINTR) {
            return -1;
        }
    }
    return 0;
}
