/* See boxes.h. */
#include "cli/boxes.h"

#include "base/json.h"
#include "base/num.h"
#include "run/job_hold.h"
#include "sys/file.h"
#include "sys/state.h"

/* Boxes that were lost get their end in the record first. */
int boxes_open(struct boxes *b, const char *command)
{
	struct err e = {0};

	b->here = (struct context){.places = true};
	context_open(&b->a, &b->here);
	if (state_check(&b->a, b->here.view->state_dir, STR(""), b->here.view->uid, &b->state, &e) != 0) {
		output_error("%s: %s", command, e.text);
		return EXIT_INTERNAL;
	}
	job_hold_settle(&b->a, b->here.view, b->state);
	return 0;
}

int boxes_find(struct boxes *b, const char *command, const char *id, struct background *ret)
{
	struct err e = {0};
	int rc = boxes_open(b, command);

	if (rc != 0)
		return rc;
	if (background_open(&b->a, b->state, str_of(id), ret, &e) == 0)
		return 0;
	output_error("%s: %s", command, e.text);
	return 1;
}

int boxes_report(struct boxes *b, const char *command, const struct background *k)
{
	const char *path = str_fmt_c(&b->a, "%.*s/" BACKGROUND_FOLDER "/%.*s/report.json", STR_ARG(b->state),
			STR_ARG(k->id));
	struct str text;
	struct json *o;
	int64_t code;

	if (file_read(&b->a, path, BACKGROUND_REPORT_MAX, &text, NULL, NULL) != 0 ||
			json_read(&b->a, text, &o, NULL) != 0) {
		output_error("%s: the process that held the box '%.*s' was killed; how its programs ended is "
			     "unknown",
				command, STR_ARG(k->id));
		return EXIT_SETUP;
	}
	if (!json_key(o, "exit_code") || num_parse(json_key(o, "exit_code")->text, 0, 255, &code) != 0)
		code = EXIT_INTERNAL;
	return output_write(text, (int)code);
}
