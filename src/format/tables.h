/* SPDX-License-Identifier: MIT
 *
 * tables.h: all tables, for files that need most of them.
 */
#ifndef PC_TABLES_H
#define PC_TABLES_H

#include "format/attr.h"
#include "format/features.h"
#include "format/header.h"
#include "format/records.h"

#endif
