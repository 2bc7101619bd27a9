/*
 * qemu as the monitor of a machine: no disk, no network, no display; one virtio port, which is a socket pair.
 * With KVM where the caller may use it, else qemu's own translation, which is slow. CAISSON_VM_ACCEL=tcg says
 * so where KVM is there and does not work.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "box/vm.h"

#define PROGRAM "qemu-system-x86_64"

static bool has_kvm(void)
{
	const char *given = getenv("CAISSON_VM_ACCEL");

	return (!given || strcmp(given, "tcg") != 0) && access("/dev/kvm", R_OK | W_OK) == 0;
}

static int qemu_launch(struct box_state *b, struct err *e)
{
	struct guest_box *g = b->own;
	const struct vm_box *v = g->more;
	char path[64];
	int ends[2];

	if (!guest_find(PROGRAM, path, sizeof(path)))
		return err_host(e, "there is no qemu here (apt-get install qemu-system-x86)");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return err_system(e, "cannot create the sockets of the box");
	g->ns.talk = ends[0];
	g->guests_end = ends[1];
	char *const argv[] = {path, "-nodefaults", "-no-user-config", "-display", "none", "-monitor", "none",
			"-serial", "none", "-nic", "none", "-no-reboot", "-sandbox",
			"on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny", "-machine",
			"q35", "-accel", has_kvm() ? "kvm" : "tcg", "-cpu", has_kvm() ? "host" : "max",
			"-smp", str_fmt_c(b->a, "%u", v->cpus), "-m",
			str_fmt_c(b->a, "%juM", (uintmax_t)(v->memory >> 20) + 1),
			"-kernel", (char *)v->kernel, "-initrd", (char *)v->image, "-append",
			"quiet panic=-1", "-device", "virtio-serial-pci", "-chardev", "socket,id=talk,fd=3",
			"-device", "virtserialport,chardev=talk,name=caisson", NULL};
	return guest_spawn(b, -1, path, argv, e);
}

static const struct vm_monitor qemu = {.kernel = "vmlinuz", .launch = qemu_launch};

static int qemu_probe(const struct backend *self, struct err *e)
{
	char path[64];

	(void)self;
	if (!guest_find(PROGRAM, path, sizeof(path)))
		return err_host(e, "there is no qemu here (apt-get install qemu-system-x86)");
	return vm_probe(&qemu, e);
}

static const struct engine engine = {.row = &qemu};

const struct backend backend_qemu = {
		.name = "qemu",
		.about = "a virtual machine of qemu, with a native box inside",
		.engine = &engine,
		.probe = qemu_probe,
		VM_BACKEND,
};
