/* A command that each check finds, for `caisson checks ID`. tests/run/checks.sh judges all of them. */
#pragma once
#include "model/check.h"

/* "" if no command by itself raises the check. */
const char *check_example(enum check_id id);
