/* Backslash escapes of $'...', echo -e, dash's echo, and printf's format and %b. Pure, on exact bytes. */
#pragma once
#include "base/str.h"

/* The inside of $'...' decoded as bash 5.2 does (\x \u \U \c \nnn \e ...; a NUL ends the string there, as in bash). */
struct str escape_ansi_c(struct arena *a, struct str s);
/* echo -e (bash): \c ends the output, then *ret_stop is true. `zero_octal`: only \0nnn is octal (echo), else also \nnn (printf %b: \nnn and \0nnn). */
struct str escape_echo(struct arena *a, struct str s, bool *ret_stop);
/* dash's echo, always active: \a \b \c \f \n \r \t \v \\ \0nnn */
struct str escape_dash_echo(struct arena *a, struct str s, bool *ret_stop);
