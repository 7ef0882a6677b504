// SPDX-License-Identifier: Apache-2.0
import Siding
import SidingSQLite
import Testing

@testable import SidingHub

/// What fits a column of the hub.
@Suite struct HubValueTests {
    @Test(arguments: [
        (ColumnValue.cell(.integer(7)), ColumnType.integer, HubValue.text("7")),
        (.cell(.text("123456789012345678901")), .integer, .misfit), (.cell(.text("x")), .integer, .misfit),
        (.cell(.null), .integer, .null), (.cell(.text("a\0b")), .text, .misfit),
        (.json(Array("[1]".utf8)), .any, .text("[1]")),
        (.json(Array("true".utf8)), .boolean, .text("true")), (.cell(.text("perhaps")), .boolean, .misfit),
        (.cell(.text("1e400")), .decimal, .text("1e400")), (.cell(.text("1e9999")), .decimal, .misfit),
        (.cell(.text("1e400")), .real, .misfit), (.cell(.text("0x1p3")), .decimal, .misfit),
        (.cell(.text("2024-01-31T09:30:00.000Z")), .datetime(.rfc3339), .text("2024-01-31T09:30:00.000Z")),
        (.cell(.text("300000-01-31T09:30:00.000Z")), .datetime(.rfc3339), .misfit),
        (.cell(.text("0000-01-31")), .date, .misfit), (.cell(.text("2024-02-30")), .date, .misfit),
        (.cell(.text("2024-02-29")), .date, .text("2024-02-29")), (.cell(.text("{")), .json, .misfit),
    ])
    func `a value fits its column, or is counted`(value: ColumnValue, type: ColumnType, fitted: HubValue) {
        #expect(HubValue(value, as: type) == fitted)
    }
}
