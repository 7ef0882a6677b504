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
        // Numbers that are out of range, or that PostgreSQL would take for something else.
        (.cell(.real(1.5)), .real, .text("1.5")), (.cell(.integer(7)), .real, .text("7.0")),
        (.cell(.real(.infinity)), .real, .misfit), (.cell(.real(.nan)), .real, .misfit),
        (.cell(.real(.nan)), .decimal, .misfit), (.cell(.text("NaN")), .decimal, .misfit),
        (.cell(.text("nan")), .real, .misfit), (.cell(.text("0x1p3")), .real, .misfit),
        (.cell(.text("1e-400")), .real, .text("0.0")), (.cell(.real(.leastNonzeroMagnitude)), .real, .text("5e-324")),
        (.cell(.text("1e-400")), .decimal, .text("1e-400")), (.json(Array("1e140000".utf8)), .decimal, .misfit),
        (.json(Array("1e140000".utf8)), .any, .text("1e140000")), (.cell(.text("1e140000")), .integer, .misfit),
        (.cell(.text("1e99999999999999999999")), .decimal, .misfit), (.cell(.text("1e")), .decimal, .misfit),
        (.cell(.text("1.")), .decimal, .misfit), (.cell(.text("-1.5E+3")), .decimal, .text("-1.5E+3")),
        (.cell(.text("١")), .decimal, .misfit), (.cell(.real(1.5)), .integer, .misfit),
        (.cell(.text(String(repeating: "9", count: 1_000))), .decimal, .text(String(repeating: "9", count: 1_000))),
        (.cell(.text(String(repeating: "9", count: 1_001))), .decimal, .misfit),
        (.cell(.blob([1])), .text, .misfit), (.cell(.text("2")), .boolean, .misfit),
        // Times that the server refuses, or reads as others.
        (.cell(.text("0000-12-31T23:59:59Z")), .datetime(.rfc3339), .misfit),
        (.cell(.text("-5000-01-31T09:30:00Z")), .datetime(.rfc3339), .misfit),
        (.cell(.text("2024-01-31T24:00:00Z")), .datetime(.rfc3339), .misfit),
        (.cell(.text("2016-12-31T23:59:60.5Z")), .datetime(.rfc3339), .text("2017-01-01T00:00:00.500Z")),
        (.cell(.text("2024-01-31T09:30:60+02:00")), .datetime(.rfc3339), .text("2024-01-31T07:31:00.000Z")),
        (.cell(.text("0001-01-01T00:00:00+14:00")), .datetime(.rfc3339), .misfit),
        (.cell(.text("9999-12-31T23:59:60Z")), .datetime(.rfc3339), .misfit),
        (.cell(.text("now")), .datetime(.rfc3339), .misfit), (.cell(.text("infinity")), .date, .misfit),
        (.cell(.integer(9_999_999_999_999_999)), .datetime(.epoch), .misfit),
        (.cell(.text("300000-01-31")), .date, .misfit), (.cell(.text("2024-01-31T09:30Z")), .date, .misfit),
    ])
    func `a value fits its column, or is counted`(value: ColumnValue, type: ColumnType, fitted: HubValue) {
        #expect(HubValue(value, as: type) == fitted)
    }

    @Test(arguments: [
        (String(repeating: "[", count: 1_000) + String(repeating: "]", count: 1_000), true),
        (String(repeating: "[", count: 1_001) + String(repeating: "]", count: 1_001), false),
        (String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000), false),
        (#"{"a":""# + String(repeating: #"[{\"\\"#, count: 5_000) + #""}"#, true),
        ("[" + String(repeating: "[],", count: 5_000) + "1]", true),
    ])
    func `a body that is nested too deeply for the server is recognised`(body: String, isReadable: Bool) {
        #expect(HubValue.isReadable(Array(body.utf8)) == isReadable)
    }
}
