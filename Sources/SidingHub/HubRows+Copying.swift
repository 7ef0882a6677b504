// SPDX-License-Identifier: Apache-2.0
internal import SidingPostgreSQL

extension HubRows {
    /// How many bytes the values have.
    var size: Int { arrays.reduce(0) { $0 + $1.reduce(0) { $0 + ($1?.utf8.count ?? 0) } } }

    /// Writes the rows as a part of a transaction.
    ///
    /// - Parameter isCopy: whether none of them is there. If one is, the transaction fails with SQLSTATE 23505.
    func write(
        to table: HubTable, of station: String, isCopy: Bool, _ transaction: borrowing PostgreSQLTransaction
    ) throws {
        guard arrays.first?.isEmpty == false else { return }
        if isCopy {
            try transaction.copyIn(table.copy, chunks(of: station))
        } else {
            try transaction.query(table.upsert, [.text(station)] + arrays.map { .texts($0) })
        }
    }

    /// The rows in the text format of COPY (https://www.postgresql.org/docs/current/sql-copy.html), each with the station first.
    ///
    /// - Returns: what gives the next chunk, of at least 256 KiB but for the last one; nil after it.
    private func chunks(of station: String) -> () -> [UInt8]? {
        var row = 0
        let count = arrays.first?.count ?? 0
        return {
            guard row < count else { return nil }
            var chunk: [UInt8] = []
            chunk.reserveCapacity(Self.chunkSize + Self.chunkSize / 4)
            while row < count, chunk.count < Self.chunkSize {
                Self.append(station, to: &chunk)
                for array in arrays {
                    chunk.append(UInt8(ascii: "\t"))
                    Self.append(array[row], to: &chunk)
                }
                chunk.append(UInt8(ascii: "\n"))
                row += 1
            }
            return chunk
        }
    }

    /// In bytes.
    private static let chunkSize = 256 << 10

    private static func append(_ value: String?, to chunk: inout [UInt8]) {
        guard var value else { return chunk.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "N")]) }
        value.withUTF8 { bytes in
            var written = 0
            for (index, byte) in bytes.enumerated() {
                guard let letter = escape(byte) else { continue }
                chunk.append(contentsOf: bytes[written..<index])
                chunk.append(UInt8(ascii: "\\"))
                chunk.append(letter)
                written = index + 1
            }
            chunk.append(contentsOf: bytes[written...])
        }
    }

    /// What stands behind a backslash for a byte that would end a value or a row.
    private static func escape(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "\\"): byte
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        default: nil
        }
    }
}
