/*
 * Which settings of git's configuration are inert: they make git run nothing. sys/git_config.c reads the
 * text.
 */
#include "box/protect_inner.h"

/*
 * Settings that name no program, file or further configuration, and do not change how the network is reached.
 * Those of a partial clone are not among them: git fetches for it without being asked.
 */
static const char inert[][32] = {
	"core.repositoryformatversion", "core.filemode", "core.bare", "core.logallrefupdates",
	"core.ignorecase", "core.precomposeunicode", "core.symlinks", "core.autocrlf", "core.eol",
	"core.safecrlf", "core.sharedrepository", "core.quotepath", "core.abbrev", "core.compression",
	"core.sparsecheckout", "core.sparsecheckoutcone", "core.untrackedcache", "core.commentchar",
	"core.whitespace", "extensions.objectformat", "user.name", "user.email", "author.name",
	"author.email", "committer.name", "committer.email", "init.defaultbranch", "remote.url",
	"remote.pushurl", "remote.fetch", "remote.push", "remote.tagopt", "remote.prune", "remote.prunetags",
	"remote.mirror", "branch.remote", "branch.merge", "branch.rebase", "branch.pushremote",
	"branch.description", "submodule.active", "submodule.url", "submodule.recurse", "pull.rebase",
	"pull.ff", "push.default", "push.autosetupremote", "push.followtags", "merge.ff",
	"merge.conflictstyle", "rebase.autostash", "rebase.autosquash", "commit.gpgsign", "tag.gpgsign",
	"gc.auto", "gc.autodetach", "fetch.prune", "rerere.enabled", "feature.manyfiles", "index.version",
	"color.ui", "advice.detachedhead", "pack.threads", "receive.denycurrentbranch",
	"receive.denynonfastforwards", "maintenance.auto", "log.date",
	"extensions.worktreeconfig", "index.sparse", "lfs.repositoryformatversion",
};

bool config_setting_inert(const struct git_setting *s)
{
	struct str section = s->section, key = s->key;
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(inert) && !found; i++)
		found = strlen(inert[i]) == section.n + 1 + key.n &&
				!memcmp(inert[i], section.p, section.n) && inert[i][section.n] == '.' &&
				!memcmp(inert[i] + section.n + 1, key.p, key.n);
	/* `submodule.x.update = !command` runs it */
	found |= str_is(section, "submodule") && str_is(key, "update") &&
			str_is_any(s->value, "checkout rebase merge none");
	/* "helper::address" starts git-remote-helper; a leading dash could be read as an option */
	return found && !str_contains(s->value, STR("::")) && !str_starts(s->value, "-");
}
