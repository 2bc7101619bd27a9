/* Checks and inputs that the fuzz targets share. */
#pragma once
#include <stdlib.h>

#include "model/facts.h"

static inline void require(bool holds)
{
	if (!holds)
		abort();
}

static inline void check_span(const struct facts *f, struct span at)
{
	require(at.text < f->ntexts && at.from <= at.to && at.to <= f->texts[at.text].bytes.n);
}
