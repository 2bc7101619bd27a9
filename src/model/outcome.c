/* Names of statuses and enforcers in reports. */
#include "model/outcome.h"

const char *status_name(enum status s)
{
	static const char names[][16] = {[STATUS_SETUP_ERROR] = "setup_error", [STATUS_OK] = "ok",
			[STATUS_EXIT_NONZERO] = "exit_nonzero", [STATUS_SIGNAL] = "signal",
		[STATUS_TIMEOUT] = "timeout", [STATUS_OOM] = "oom", [STATUS_OUTPUT_LIMIT] = "output_limit",
		[STATUS_DENIED] = "denied", [STATUS_NEEDS_APPROVAL] = "needs_approval",
		[STATUS_RUNNING] = "running", [STATUS_UNKNOWN] = "unknown"};

	return (size_t)s < ARRAY_SIZE(names) ? names[s] : "unknown";
}

const char *enforcer_name(enum enforcer e)
{
	static const char names[][16] = {[ENFORCED_NOT] = "", [ENFORCED_CGROUP2] = "cgroup2",
			[ENFORCED_CGROUP1] = "cgroup1", [ENFORCED_RLIMIT] = "rlimit",
			[ENFORCED_WATCH] = "watched",
		[ENFORCED_TMPFS] = "tmpfs", [ENFORCED_TIMER] = "timer", [ENFORCED_PIPE] = "pipe",
		[ENFORCED_NAMESPACE] = "namespace",
		[ENFORCED_AFFINITY] = "affinity"};

	return (size_t)e < ARRAY_SIZE(names) && names[e][0] ? names[e] : NULL;
}
