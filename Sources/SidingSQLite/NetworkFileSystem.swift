/// File systems on which SQLite's locks and shared memory do not hold (sqlite.org/howtocorrupt.html, section 2.1).
enum NetworkFileSystem {
    /// The name of a network file system by its `f_type` of `statfs(2)`; nil for a local one.
    ///
    /// FUSE is not listed: most of its file systems are local, and `f_type` does not tell which.
    static func name(ofType type: Int) -> String? {
        names[UInt32(truncatingIfNeeded: type)]
    }

    /// Source: linux/magic.h and the statfs(2) manual page.
    private static let names: [UInt32: String] = [
        0x0000_6969: "NFS", 0x0000_517B: "SMB", 0xFF53_4D42: "CIFS", 0xFE53_4D42: "SMB2", 0x0102_1997: "9p",
        0x5346_414F: "AFS", 0x6B41_4653: "AFS", 0x7375_7245: "Coda", 0x0000_564C: "NCP", 0x00C3_6400: "Ceph",
    ]
}
