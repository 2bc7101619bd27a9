/* The mount points of this process's mount namespace. */
#pragma once
#include "model/policy.h"

/* Every mount point of this namespace, in no order. */
int mount_list(struct arena *a, struct texts **ret, struct err *e);
