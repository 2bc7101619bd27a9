/*
 * The rows of a run in the record (record/record.h): one if it is refused, else one before anything runs and
 * one after it.
 */
#pragma once
#include "run/job.h"

/* The record is open, or off. -1: nothing may run. */
int job_record_open(struct arena *a, struct job *j, struct err *e);
/* The gate's no. */
int job_record_refusal(struct arena *a, struct job *j, struct err *e);
int job_record_begin(struct arena *a, struct job *j, struct err *e);
/* Called after the report is made. A failure to record is stated in the report: the program has run. */
void job_record_end(struct arena *a, struct job *j);
/*
 * The wishes that the spec of a begin row has; `command` is the row's. A wish that is not there as a whole is
 * ERR_INPUT.
 */
int job_wishes_of(struct arena *a, struct str spec, struct str command, struct run_wishes *ret,
		struct err *e);
