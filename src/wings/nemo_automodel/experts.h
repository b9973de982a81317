#ifndef WINGS_NEMO_AUTOMODEL_EXPERTS_H
#define WINGS_NEMO_AUTOMODEL_EXPERTS_H

#include "plan/exception.h"

extern const struct exceptions exceptions_nemo_automodel;

/* What the experts' mesh says of ranks that they do not divide: the ranks of a stage, ep. */
#define AUTOMODEL_EXPERTS (&exceptions_nemo_automodel.rows[0])

#endif
