// SPDX-License-Identifier: Apache-2.0
#ifndef SIDING_CSQLITE_SHIM_H
#define SIDING_CSQLITE_SHIM_H

#include <sqlite3.h>
#include <sys/vfs.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Swift cannot call variadic C functions, and sqlite3_db_config is one:
/// this is its form for the verbs that take an on/off switch and report the state they left.
static inline int siding_sqlite_switch(sqlite3 *database, int verb, int on, int *state) {
    return sqlite3_db_config(database, verb, on, state);
}

/// The form of sqlite3_config for verbs that take an on/off switch.
static inline int siding_sqlite_configure(int verb, int on) { return sqlite3_config(verb, on); }

/// mallopt(3) with M_ARENA_MAX 1, where the C library is glibc; its Swift module leaves malloc.h out.
static inline void siding_keep_one_arena(void) {
#ifdef M_ARENA_MAX
    mallopt(M_ARENA_MAX, 1);
#endif
}

/// SQLITE_STATIC: the bytes stay where they are until the binding is replaced; SQLite makes no copy.
static inline sqlite3_destructor_type siding_sqlite_static(void) { return SQLITE_STATIC; }

/// SQLITE_TRANSIENT: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type siding_sqlite_transient(void) { return SQLITE_TRANSIENT; }

/// The type of the file system at a path as statfs(2) says it, which the C library's Swift module leaves out; 0:
/// unknown.
static inline long siding_file_system_type(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : 0;
}

#endif
