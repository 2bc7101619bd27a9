/* Requests to rtnetlink. See netlink.h. */
#define _GNU_SOURCE
#include "sys/netlink.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX 256     /* bytes of the longest request */
#define ANSWERS_BYTES 2048  /* the kernel sends one answer at a time, which repeats its request */
#define ANSWER_SECONDS 10   /* the kernel answers before send() returns; this is for a broken one */

static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};

bool netlink_is_ipv4(const struct netlink_prefix *p)
{
	return p->bits >= 96 && !memcmp(p->address, mapped, sizeof(mapped));
}

/* ---- the parts of a request ---- */

static struct nlmsghdr *last_request(struct netlink *n, size_t from)
{
	return (struct nlmsghdr *)(void *)(n->batch + from);
}

static void put(struct netlink *n, const void *bytes, size_t len)
{
	memset(n->batch + n->used, 0, NLMSG_ALIGN(len));
	memcpy(n->batch + n->used, bytes, len);
	n->used += NLMSG_ALIGN(len);
}

/* Starts a request; `body` is the struct of its kind. Returns where it starts. */
static size_t begin_request(struct netlink *n, int type, int flags, const void *body, size_t len)
{
	struct nlmsghdr h = {.nlmsg_type = (uint16_t)type,
			.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags)};
	size_t from;

	if (n->used + REQUEST_MAX > sizeof(n->batch))
		(void)netlink_send(n); /* its failure is remembered */
	from = n->used;
	put(n, &h, sizeof(h));
	put(n, body, len);
	n->nrequests++;
	return from;
}

static void end_request(struct netlink *n, size_t from)
{
	last_request(n, from)->nlmsg_len = (uint32_t)(n->used - from);
}

static size_t begin_attribute(struct netlink *n, int type)
{
	struct rtattr a = {.rta_type = (uint16_t)type};
	size_t from = n->used;

	put(n, &a, sizeof(a));
	return from;
}

static void end_attribute(struct netlink *n, size_t from)
{
	((struct rtattr *)(void *)(n->batch + from))->rta_len = (uint16_t)(n->used - from);
}

static void put_attribute(struct netlink *n, int type, const void *bytes, size_t len)
{
	struct rtattr a = {.rta_type = (uint16_t)type, .rta_len = (uint16_t)RTA_LENGTH(len)};

	put(n, &a, sizeof(a));
	put(n, bytes, len);
}

/* ---- requests ---- */

static void put_name(struct netlink *n, const char *name)
{
	put_attribute(n, IFLA_IFNAME, name, strlen(name) + 1);
}

void netlink_add_pair(struct netlink *n, unsigned index, const char *name, pid_t peer, const char *peer_name)
{
	const struct ifinfomsg link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)index};
	const uint32_t pid = (uint32_t)peer;
	const uint32_t queues = 1; /* the kernel makes one for each CPU, which takes longer */
	size_t from = begin_request(n, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &link, sizeof(link));
	size_t info, data, other;

	put_name(n, name);
	put_attribute(n, IFLA_NUM_TX_QUEUES, &queues, sizeof(queues));
	put_attribute(n, IFLA_NUM_RX_QUEUES, &queues, sizeof(queues));
	info = begin_attribute(n, IFLA_LINKINFO);
	put_attribute(n, IFLA_INFO_KIND, "veth", sizeof("veth"));
	data = begin_attribute(n, IFLA_INFO_DATA);
	other = begin_attribute(n, VETH_INFO_PEER);
	put(n, &link, sizeof(link));
	put_name(n, peer_name);
	put_attribute(n, IFLA_NUM_TX_QUEUES, &queues, sizeof(queues));
	put_attribute(n, IFLA_NUM_RX_QUEUES, &queues, sizeof(queues));
	put_attribute(n, IFLA_NET_NS_PID, &pid, sizeof(pid));
	end_attribute(n, other);
	end_attribute(n, data);
	end_attribute(n, info);
	end_request(n, from);
}

void netlink_add_up(struct netlink *n, unsigned index)
{
	const struct ifinfomsg link = {.ifi_family = AF_UNSPEC, .ifi_index = (int)index, .ifi_flags = IFF_UP,
			.ifi_change = IFF_UP};

	end_request(n, begin_request(n, RTM_NEWLINK, 0, &link, sizeof(link)));
}

static int family_of(const struct netlink_prefix *p) { return netlink_is_ipv4(p) ? AF_INET : AF_INET6; }

static uint8_t bits_of(const struct netlink_prefix *p)
{
	return (uint8_t)(netlink_is_ipv4(p) ? p->bits - 96 : p->bits);
}

static void put_address(struct netlink *n, int type, const struct netlink_prefix *p)
{
	if (netlink_is_ipv4(p))
		put_attribute(n, type, p->address + sizeof(mapped), 4);
	else
		put_attribute(n, type, p->address, 16);
}

void netlink_add_address(struct netlink *n, unsigned index, const struct netlink_prefix *p)
{
	const struct ifaddrmsg a = {.ifa_family = (uint8_t)family_of(p), .ifa_prefixlen = bits_of(p),
			.ifa_flags = netlink_is_ipv4(p) ? 0 : IFA_F_NODAD, .ifa_index = index};
	size_t from = begin_request(n, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &a, sizeof(a));

	put_address(n, IFA_LOCAL, p);
	put_address(n, IFA_ADDRESS, p);
	end_request(n, from);
}

static void add_route(struct netlink *n, unsigned index, const struct netlink_prefix *p,
		const struct netlink_prefix *gateway)
{
	const struct rtmsg r = {
		.rtm_family = (uint8_t)family_of(p), .rtm_dst_len = bits_of(p),
		.rtm_table = gateway ? RT_TABLE_MAIN : RT_TABLE_LOCAL, .rtm_protocol = RTPROT_STATIC,
		.rtm_scope = gateway ? RT_SCOPE_UNIVERSE : RT_SCOPE_HOST,
		.rtm_type = gateway ? RTN_UNICAST : RTN_LOCAL,
	};
	const uint32_t out = index;
	size_t from = begin_request(n, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_REPLACE, &r, sizeof(r));

	put_address(n, RTA_DST, p);
	put_attribute(n, RTA_OIF, &out, sizeof(out));
	if (gateway)
		put_address(n, RTA_GATEWAY, gateway);
	end_request(n, from);
}

void netlink_add_local(struct netlink *n, const struct netlink_prefix *p)
{
	add_route(n, NETLINK_LOOPBACK, p, NULL);
}

void netlink_add_route(struct netlink *n, unsigned index, const struct netlink_prefix *p,
		const struct netlink_prefix *gateway)
{
	add_route(n, index, p, gateway);
}

/* ---- sending ---- */

int netlink_open(struct netlink *ret)
{
	const struct timeval patience = {.tv_sec = ANSWER_SECONDS};

	ret->failed = 0;
	ret->nrequests = 0;
	ret->used = 0;
	ret->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (ret->fd < 0)
		return errno;
	(void)setsockopt(ret->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	return 0;
}

void netlink_close(struct netlink *n)
{
	close(n->fd);
	n->fd = -1;
}

static void fail(struct netlink *n, int why)
{
	if (!n->failed)
		n->failed = why ? why : EIO;
}

/* Counts the answers in what was received, and remembers the first failure. */
static unsigned take_answers(struct netlink *n, const char *bytes, size_t len)
{
	unsigned count = 0;

	for (size_t at = 0; at + sizeof(struct nlmsghdr) <= len;) {
		const struct nlmsghdr *h = (const void *)(bytes + at);
		const struct nlmsgerr *answer = (const void *)(bytes + at + NLMSG_HDRLEN);

		if (h->nlmsg_len < NLMSG_LENGTH(sizeof(int)) || h->nlmsg_len > len - at)
			break;
		if (h->nlmsg_type == NLMSG_ERROR) {
			count++;
			if (answer->error)
				fail(n, -answer->error);
		}
		at += NLMSG_ALIGN(h->nlmsg_len);
	}
	return count;
}

int netlink_send(struct netlink *n)
{
	_Alignas(8) char answers[ANSWERS_BYTES];
	unsigned wanted = n->nrequests;
	size_t used = n->used;

	n->nrequests = 0;
	n->used = 0;
	if (!wanted)
		return n->failed;
	if (send(n->fd, n->batch, used, 0) != (ssize_t)used) {
		fail(n, errno);
		return n->failed;
	}
	while (wanted) {
		ssize_t got = recv(n->fd, answers, sizeof(answers), 0);
		unsigned count = got <= 0 ? 0 : take_answers(n, answers, (size_t)got);

		if (got < 0 && errno == EINTR)
			continue;
		if (!count) {
			fail(n, got < 0 ? errno : EIO);
			break;
		}
		wanted -= count < wanted ? count : wanted;
	}
	return n->failed;
}

/* ---- questions ---- */

/* True if this message answers request `seq`. */
static bool is_answer(const char *bytes, size_t len, uint32_t seq)
{
	const struct nlmsghdr *h = (const void *)bytes;

	return len >= sizeof(*h) && h->nlmsg_len >= sizeof(*h) && h->nlmsg_len <= len && h->nlmsg_seq == seq;
}

static int read_route(const char *bytes, unsigned *ret)
{
	const struct nlmsghdr *h = (const void *)bytes;
	const struct nlmsgerr *failure = (const void *)(bytes + NLMSG_HDRLEN);
	const struct rtmsg *route = (const void *)(bytes + NLMSG_HDRLEN);

	if (h->nlmsg_type == NLMSG_ERROR && h->nlmsg_len >= NLMSG_LENGTH(sizeof(failure->error)))
		return failure->error < 0 ? -failure->error : EIO;
	if (h->nlmsg_type != RTM_NEWROUTE || h->nlmsg_len < NLMSG_LENGTH(sizeof(*route)))
		return EIO;
	*ret = route->rtm_type;
	return 0;
}

int netlink_route_type(int fd, const uint8_t address[16], unsigned *ret)
{
	static uint32_t last;
	struct netlink n = {.fd = fd};
	struct netlink_prefix whole = {.bits = 128};
	struct rtmsg question = {0};
	_Alignas(8) char answer[ANSWERS_BYTES];
	size_t from;
	ssize_t got;

	memcpy(whole.address, address, sizeof(whole.address));
	question.rtm_family = (uint8_t)family_of(&whole);
	question.rtm_dst_len = bits_of(&whole);
	from = begin_request(&n, RTM_GETROUTE, 0, &question, sizeof(question));
	put_address(&n, RTA_DST, &whole);
	end_request(&n, from);
	last_request(&n, from)->nlmsg_flags = NLM_F_REQUEST;
	last_request(&n, from)->nlmsg_seq = ++last;
	if (send(fd, n.batch, n.used, MSG_DONTWAIT) != (ssize_t)n.used)
		return errno;
	/* the answer is there when send() returns; answers before it were not awaited */
	do {
		got = recv(fd, answer, sizeof(answer), MSG_DONTWAIT);
		if (got < 0 && errno != EINTR)
			return errno;
	} while (got < 0 || !is_answer(answer, (size_t)got, last));
	return read_route(answer, ret);
}
