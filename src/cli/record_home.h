/* Locates the record, for the commands that read or change it. */
#pragma once
#include "audit/audit.h"
#include "audit/blob.h"
#include "audit/metrics.h"
#include "model/view.h"

enum { EXIT_NO_RECORD = 3 };

struct record_home {
	struct str state;    /* path of the state directory */
	uint32_t uid;
	struct view view;    /* view of the caller */
	struct audit audit;
	struct blobs blobs;
	bool opened;         /* the record exists and `audit` is open */
	bool has_blobs;      /* blobs exist and `blobs` is open */
};

/* Computes paths only; opens nothing. */
void home_find(struct arena *a, struct record_home *ret);
/*
 * Opens the record, and with `blobs` its blobs; missing blobs are not an error. Does not depend on the
 * project. ENOENT: no record.
 */
int home_open(struct arena *a, struct record_home *h, bool blobs, struct err *e);
/* Creates the state directory. */
int home_make(struct arena *a, struct record_home *h, struct err *e);
void home_close(struct record_home *h);
/* Appends the counters of an open record; `anew`: counted from scratch. */
int home_metrics(struct arena *a, const struct record_home *h, bool anew, enum metrics_format format,
		struct buf *b, struct err *e);
/* Prints a message about an error of home_open(). Returns the exit code. */
int home_failed(const char *command, const struct err *e);
