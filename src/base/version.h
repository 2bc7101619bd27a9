/* The version that `caisson --version` prints. */
#pragma once

#define CAISSON_VERSION "0.1.0"
