// SPDX-License-Identifier: Apache-2.0
internal import CSQLite

/// How a process manages its memory.
package enum ProcessMemory {
    /// Makes a sync cheaper by a tenth. It holds for the whole process, so only a program that owns its process calls it, before it
    /// opens a database and starts a thread.
    ///
    /// - SQLite stops its count of memory, which takes a mutex at each allocation
    ///   (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html, SQLITE_CONFIG_MEMSTATUS).
    /// - glibc keeps one arena. A page is read on one thread and freed on another, so an arena per thread grows and shrinks with
    ///   each page (mallopt(3), M_ARENA_MAX).
    package static func tune() {
        _ = siding_sqlite_configure(SQLITE_CONFIG_MEMSTATUS, 0)
        siding_keep_one_arena()
    }
}
