/* The caller: user and directories. */
#define _GNU_SOURCE
#include "sys/user.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/stamp_cache.h"

#define PASSWD_PATH "/etc/passwd"
#define PASSWD_MAX ((size_t)16 << 20)
#define UID_LARGEST ((int64_t)4294967294)

enum { FIELD_NAME, FIELD_PASSWORD, FIELD_UID, FIELD_GID, FIELD_COMMENT, FIELD_HOME, FIELD_SHELL, FIELDS };

/* Splits at ':'; false unless there are exactly FIELDS fields. */
static bool split_line(struct str line, struct str field[FIELDS])
{
	if (str_count(line, ':') != FIELDS - 1)
		return false;
	for (int i = 0; i < FIELDS; i++)
		field[i] = str_cut(&line, ':');
	return true;
}

bool passwd_find(struct str passwd, struct str name, uid_t uid, struct user *ret)
{
	while (passwd.n) {
		struct str line = str_cut(&passwd, '\n'), field[FIELDS];
		int64_t id;
		if (!split_line(line, field) || field[FIELD_NAME].n == 0 ||
				num_parse(field[FIELD_UID], 0, UID_LARGEST, &id) < 0)
			continue;
		if (name.n ? !str_eq(field[FIELD_NAME], name) : (uid_t)id != uid)
			continue;
		*ret = (struct user){.uid = (uid_t)id, .name = field[FIELD_NAME], .home = field[FIELD_HOME],
			.shell = field[FIELD_SHELL]};
		if (!str_starts(ret->home, "/"))
			ret->home = STR("");
		ret->entry = ret->home;
		return true;
	}
	return false;
}

static bool own_directory(const char *path, uid_t uid)
{
	struct stat st;
	return path[0] == '/' && stat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == uid;
}

int user_self(struct arena *a, struct stamp_cache *stamps, const char *env_home, struct user *ret,
		struct err *e)
{
	uid_t uid = getuid();
	struct user found = {0};
	struct str passwd = STR("");
	struct err why;

	/* Without /etc/passwd (a container without users), only the uid is known. */
	if (stamp_cache_read(stamps, a, PASSWD_PATH, PASSWD_MAX, &passwd, &why) < 0 && why.errnum != ENOENT) {
		if (e)
			*e = why;
		return -1;
	}
	if (!passwd_find(passwd, STR(""), uid, &found))
		found = (struct user){.uid = uid, .name = str_fmt(a, "%lu", (unsigned long)uid),
				.home = STR(""),
			.entry = STR(""), .shell = STR("")};
	if (env_home && !str_is(found.home, env_home) && own_directory(env_home, uid))
		found.home = str_dup(a, str_of(env_home));
	*ret = found;
	return 0;
}

int cwd_get(struct arena *a, struct str *ret, struct err *e)
{
	char path[PATH_MAX];
	if (!getcwd(path, sizeof path))
		return err_system(e, "cannot find the working directory");
	/* The kernel returns "(unreachable)/..." if the directory is outside the root. */
	if (path[0] != '/')
		return err_input(e, "the working directory '%s' cannot be reached", path);
	*ret = str_dup(a, str_of(path));
	return 0;
}
