/* The version, as `caisson --version` says it. */
#pragma once

#define CAISSON_VERSION "0.1.0"
