/* The mount points of this process's mount namespace. */
#pragma once
#include "model/policy.h"

/* Lists every mount point of this namespace, in no particular order. */
int mount_list(struct arena *a, struct texts **ret, struct err *e);
