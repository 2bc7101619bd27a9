/*
 * The rows of a run in the record (record/record.h): one if it is refused, else one before and one after the
 * run.
 */
#pragma once
#include "run/job.h"

/* Opens the record, or sets it off. -1: nothing may run. */
int job_record_open(struct arena *a, struct job *j, struct err *e);
/* Records a refusal by the gate. */
int job_record_refusal(struct arena *a, struct job *j, struct err *e);
int job_record_begin(struct arena *a, struct job *j, struct err *e);
/* Called after the report is made. A failure to record is stated in the report: the program has run. */
void job_record_end(struct arena *a, struct job *j);
/*
 * Restores the request from the spec of a begin row; `command` is the row's. ERR_INPUT if an option is
 * incomplete.
 */
int job_request_of(struct arena *a, struct str spec, struct str command, struct run_request *ret,
		struct err *e);
