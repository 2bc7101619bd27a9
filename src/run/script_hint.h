/* Says why a file of the project cannot be executed. */
#pragma once
#include "run/run.h"

/*
 * Returns the text of a hint about the program that could not be started, or an empty text. Only files of the
 * workspace are looked at, and only without links: nothing else of the machine gets into a report.
 */
struct str script_hint(struct arena *a, const struct run *r);
