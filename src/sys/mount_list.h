/* What is mounted where, as this process sees it. */
#pragma once
#include "model/policy.h"

/* Every mount point of this namespace, in no order. */
int mount_list(struct arena *a, struct texts **ret, struct err *e);
