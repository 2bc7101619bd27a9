/*
 * Provides a stack of at least the usual size, whatever limit the caller has set. The recursion bounds of
 * Caisson assume that size.
 */
#pragma once

/*
 * Calls fn. If the stack limit (ulimit -s) is smaller than usual, calls it on a stack of its own. Leaves the
 * limit alone, since started programs inherit it. Without memory for that stack, calls fn on the current one.
 */
int stack_run(int (*fn)(int argc, char **argv), int argc, char **argv);
