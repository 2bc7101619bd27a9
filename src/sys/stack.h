/*
 * A stack that is large enough, whatever limit the caller has set: recursion here has bounds that were chosen
 * for it.
 */
#pragma once

/*
 * Calls fn. Where the limit of the stack (ulimit -s) is smaller than usual, on a stack of our own. The limit
 * itself stays as it is: programs that are started inherit it. Without memory for a stack fn is called on the
 * one that is there.
 */
int stack_run(int (*fn)(int argc, char **argv), int argc, char **argv);
