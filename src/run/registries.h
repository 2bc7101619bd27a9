/*
 * Words of a network to rules: one host, or a preset of hosts.
 *
 *     word of an option, policy, skill or ticket --registries_expand()--> struct network_rule list
 *
 * `preset:registries` stands for the registries of all package managers that this person has,
 * `preset:registries/TOOL` for those of one. The hosts of a tool are
 * - the built-in ones of knowledge/registries.yaml,
 * - those that the person's and the system's configuration names. The tool itself is asked, in a box: no
 *   network, an empty directory, none of the caller's variables, and of the home only the tool's own
 *   configuration files and installed programs. Files of the project never count, nor do the caller's
 *   variables: whoever controls the project or its shell could name any host there.
 *
 * Answers are kept below the state directory until the tool or one of its configuration files changes. They
 * hold hosts and ports, never credentials. Asking takes up to a second for each tool, so only runs do it,
 * never the hook.
 */
#pragma once
#include "model/network.h"
#include "run/run.h"

struct registries { /* one expansion, or several for the same run */
	const struct run_world *world; /* NULL: built-in hosts only */
	bool again;                    /* ask even if an answer is kept */
	struct texts *notes;           /* sentences about tools that could not be asked are added */
	uint64_t tools;                /* those of the presets are added: a bit for each registry_at() */
};

/*
 * Appends the rules of a word to *list, without those that an earlier rule covers. A word that is no rule
 * and no known preset is ERR_INPUT; more than NETWORK_RULES_MAX rules are ERR_LIMIT. *list is then as before.
 * The caller is inside an arena_run().
 */
int registries_expand(struct arena *a, struct registries *r, struct str word, struct network_rule **list,
		struct err *e);
/* True if the word stands for several hosts: "preset:…". */
bool registries_is_preset(struct str word);
