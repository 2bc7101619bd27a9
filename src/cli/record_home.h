/* Where the record lies, for the commands that read it or change it. */
#pragma once
#include "audit/audit.h"
#include "audit/blob.h"
#include "model/view.h"

enum { EXIT_NO_RECORD = 3 };

struct record_home {
	struct str state;    /* the state directory, as it is named */
	uint32_t uid;
	struct view view;    /* of the caller */
	struct audit audit;
	struct blobs blobs;
	bool opened;         /* there is a record, and `audit` is open */
	bool has_blobs;      /* there are blobs, and `blobs` is open */
};

/* Only names; nothing is looked at. */
void home_find(struct arena *a, struct record_home *ret);
/*
 * Opens the record, and its blobs with `blobs`; blobs that are not there are none. Which project this is does
 * not matter. ENOENT: no record.
 */
int home_open(struct arena *a, struct record_home *h, bool blobs, struct err *e);
/* Makes the state directory. */
int home_make(struct arena *a, struct record_home *h, struct err *e);
void home_close(struct record_home *h);
/* A message about an error of home_open(), and the exit code. */
int home_failed(const char *command, const struct err *e);
