/* See oci_json.h. */
#include "box/oci_json.h"

void oci_put_strings(struct buf *j, const char *key, const char *const *words, size_t n)
{
	json_put_open(j, key, '[');
	for (size_t i = 0; i < n; i++) {
		json_put_comma(j);
		json_put_string(j, str_of(words[i]));
	}
	buf_char(j, ']');
}

void oci_put_number(struct buf *j, const char *key, uint64_t n)
{
	json_put_key(j, key);
	buf_fmt(j, "%ju", (uintmax_t)n);
}

void oci_put_word(struct buf *j, const char *key, const char *word)
{
	json_put_key(j, key);
	buf_c(j, word);
}

void oci_put_masked(struct buf *j, const struct guest_box *g)
{
	for (const struct texts *t = g->stage.masked; t; t = t->next) {
		json_put_comma(j);
		json_put_string(j, str_ends(t->text, "/") ? str_sub(t->text, 0, t->text.n - 1) : t->text);
	}
}

static void put_tmpfs_options(struct buf *j, const struct stage_mount *m, const struct oci_tmpfs *t)
{
	buf_fmt(j, ",\"options\":[\"rw\",\"exec\",\"nosuid\",\"nodev\",\"size=%ju\",\"mode=%04o\"",
			(uintmax_t)m->size, (unsigned)m->mode);
	if (t->files)
		buf_fmt(j, ",\"nr_inodes=%ju\",\"uid=%u\",\"gid=%u\"",
				(uintmax_t)(m->size / STAGE_INODE_BYTES), (unsigned)t->uid, (unsigned)t->gid);
	if (t->more)
		buf_fmt(j, ",\"%s\"", t->more);
	buf_char(j, ']');
}

/* Not recursive if read-only: each mount below a source is one of the list. */
void oci_put_mounts(struct buf *j, const struct guest_box *g, const struct oci_tmpfs *t)
{
	for (const struct stage_mount *m = g->stage.mounts; m; m = m->next) {
		if (m->kind == STAGE_DEVICE)
			continue;
		json_put_open(j, NULL, '{');
		json_put_field(j, "destination", str_of(m->target));
		json_put_field(j, "type", m->kind == STAGE_TMPFS ? STR("tmpfs") : STR("bind"));
		json_put_field(j, "source", m->kind == STAGE_TMPFS ? STR("tmpfs") : str_of(m->source));
		if (m->kind == STAGE_TMPFS)
			put_tmpfs_options(j, m, t);
		else
			buf_fmt(j, ",\"options\":[\"%s\",\"rprivate\",\"nosuid\",\"nodev\",\"%s\"]",
					m->writable && t->recursive ? "rbind" : "bind",
					m->writable ? "rw" : "ro");
		buf_char(j, '}');
	}
}
