/* The ways to make a box, by the names that options, policies and reports use (docs/backends.md). */
#pragma once
#include "base/str.h"

/* clang-format off */
#define BACKEND_CHOICES(row) \
	row(AUTO, "auto") \
	row(NATIVE, "native") \
	row(BWRAP, "bwrap") \
	row(DOCKER, "docker") \
	row(PODMAN, "podman") \
	row(RUNC, "runc") \
	row(CRUN, "crun") \
	row(GVISOR, "gvisor") \
	row(SYSTEMD, "systemd") \
	row(QEMU, "qemu") \
	row(FIRECRACKER, "firecracker")
/* clang-format on */

enum backend_choice {
	BACKEND_UNSET, /* as native */
#define BACKEND_ROW(id, name) BACKEND_##id,
	BACKEND_CHOICES(BACKEND_ROW)
#undef BACKEND_ROW
			BACKENDS,
};

const char *backend_choice_name(enum backend_choice c);   /* NULL for BACKEND_UNSET */
enum backend_choice backend_choice_find(struct str name); /* BACKEND_UNSET: there is none */
/* All names, for messages. */
#define BACKEND_NAME_TEXT(id, name) " " name
#define BACKEND_NAMES_TEXT "these:" BACKEND_CHOICES(BACKEND_NAME_TEXT)
