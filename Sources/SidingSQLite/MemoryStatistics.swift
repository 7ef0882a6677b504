internal import CSQLite

/// SQLite's count of the memory that it uses.
package enum MemoryStatistics {
    /// Stops the count, which takes a mutex at each allocation and costs a sync a twentieth of its time
    /// (https://www.sqlite.org/c3ref/c_config_covering_index_scan.html, SQLITE_CONFIG_MEMSTATUS).
    ///
    /// It holds for the whole process, so only a program that owns its process calls it, before it opens a database: afterwards it has
    /// no effect.
    package static func stop() {
        _ = siding_sqlite_configure(SQLITE_CONFIG_MEMSTATUS, 0)
    }
}
