// SPDX-License-Identifier: Apache-2.0
internal import SidingJSON
internal import SidingSQLite

/// Checks the records of a page against the resource's contract, with the known members loaded once per page.
///
/// For records with a known member set the names are not read again.
struct ContractCheck {
    private let contract: RecordContract
    private let columns: [RecordColumn]
    /// Members known because a declared column or child lies in them.
    private let declared: Set<[UInt8]>
    /// Whether a listing was ever complete: before that, new members are allowed.
    private let isGrown: Bool
    private var register: FieldsTable
    private var membersBySet: [UInt64: Members] = [:]

    /// The known members of one member set.
    private struct Members {
        /// The catalogue index of each member, in the record's order; nil if there is no room for it.
        var places: [Int?] = []
        /// The columns of top-level members, by the member's index in the record.
        var columns: [Int: RecordColumn] = [:]
        var firstNew: String?
    }

    /// Nil if the contract has no rules for members.
    static func load(
        _ schema: RecordSchema, of resource: Int64, isGrown: Bool, _ database: borrowing some Queryable & ~Copyable
    ) throws -> ContractCheck? {
        guard schema.contract.looksAtMembers else { return nil }
        return ContractCheck(schema, isGrown: isGrown, try FieldsTable.load(of: resource, database))
    }

    private init(_ schema: RecordSchema, isGrown: Bool, _ register: FieldsTable) {
        contract = schema.contract
        columns = schema.columns.filter { $0.type != .any && $0.type != .json }
        let paths = schema.columns.map(\.path) + schema.children.map(\.path)
        declared = Set(
            paths.compactMap { path in
                if case .member(let name)? = path.components.first { Array(name.utf8) } else { nil }
            })
        self.isGrown = isGrown
        self.register = register
    }

    /// Why the record may not be saved; nil if it may, in which case its members become known.
    mutating func breach(of record: UnsafeRawBufferPointer, memberSet: UInt64) -> ContractBreach? {
        let values = JSONMembers.topLevelValues(of: record)
        var members = membersBySet[memberSet]
        if members?.places.count != values.count {
            members = self.members(of: record)
            membersBySet[memberSet] = members
        }
        guard let members, members.places.count == values.count else { return nil }
        if contract.newFields != .allow, isGrown, let name = members.firstNew {
            return ContractBreach(.newField, contract.newFields, "the member \(ContractBreach.shown(name)) is new")
        }
        if contract.typeChange != .allow {
            if let breach = changedType(values, members, record) ?? misfit(record) { return breach }
        }
        for (place, value) in zip(members.places, values) {
            if let place { register.add(FieldKinds(value.kind), at: place) }
        }
        return nil
    }

    /// Stores the new members and types.
    func save(run: RunID, _ transaction: borrowing Transaction) throws {
        try register.save(run: run, transaction)
    }

    private mutating func members(of record: UnsafeRawBufferPointer) -> Members {
        var members = Members()
        for (index, member) in JSONMembers.topLevelMembers(of: record).enumerated() {
            let isKnown = register.place(of: member.name) != nil || declared.contains(Array(member.name.utf8))
            if !isKnown, members.firstNew == nil { members.firstNew = member.name }
            // A member of a refused record must not become known.
            let isRefused = !isKnown && isGrown && contract.newFields != .allow
            members.places.append(isRefused ? nil : register.add(member.name))
            members.columns[index] = columns.first { $0.path == JSONPath(member: member.name) }
        }
        return members
    }

    private func changedType(
        _ values: [EnvelopeValue], _ members: Members, _ record: UnsafeRawBufferPointer
    ) -> ContractBreach? {
        for (index, value) in values.enumerated() where value.kind != .null {
            // A declared type takes precedence over types seen before.
            if let column = members.columns[index] {
                if !column.type.fits(value, in: record) { return mismatch(column, value) }
                continue
            }
            guard let place = members.places[index] else { continue }
            let (seen, found) = (register.fields[place].kinds, FieldKinds(value.kind))
            guard !seen.isEmpty, seen.isDisjoint(with: found) else { continue }
            return ContractBreach(
                .typeChange, contract.typeChange,
                "\(ContractBreach.shown(register.fields[place].name)) is \(found.message), before it was \(seen.message)"
            )
        }
        return nil
    }

    /// A breach in a column with a nested path.
    private func misfit(_ record: UnsafeRawBufferPointer) -> ContractBreach? {
        for column in columns where column.path.components.count > 1 {
            guard let value = JSONMembers.value(at: column.path, in: record), value.kind != .null,
                !column.type.fits(value, in: record)
            else { continue }
            return mismatch(column, value)
        }
        return nil
    }

    private func mismatch(_ column: RecordColumn, _ value: EnvelopeValue) -> ContractBreach {
        let isFraction = column.type == .integer && value.kind == .number
        let found = FieldKinds(value.kind).message + (isFraction ? " with a fraction" : "")
        return ContractBreach(
            .typeChange, contract.typeChange,
            "\(column.path.shown) is \(found), the column \(ContractBreach.shown(column.name)) "
                + "is declared as \(column.type.name)")
    }
}

/// Why a record breaks the contract.
struct ContractBreach {
    enum Code: String {
        case newField = "new_field"
        case typeChange = "type_change"
        case keyType = "key_type"
        /// The key is that of another parent's record.
        case sharedKey = "shared_key"
    }

    /// The name of the rule, as stored in the column `code`.
    let code: String
    let response: RecordContract.Response
    let reason: String

    init(_ code: Code, _ response: RecordContract.Response, _ reason: String) {
        (self.code, self.response, self.reason) = (code.rawValue, response, reason)
    }

    init(_ fault: RecordFault, _ contract: RecordContract) {
        code = fault.code
        reason = fault.description
        response = fault.isAboutKey ? contract.missingKey : .quarantine
    }

    static func shown(_ name: String) -> String { "'\(PlainText.oneLine(name, limit: 80))'" }
}

extension RecordFault {
    fileprivate var isAboutKey: Bool {
        switch self {
        case .missingKey, .keyNotUsable, .notAnObject: true
        case .duplicateName, .loneSurrogate, .tooDeep, .stringTooLong: false
        }
    }
}

extension ColumnType {
    /// Whether the JSON type of `value` matches this type.
    func fits(_ value: EnvelopeValue, in record: UnsafeRawBufferPointer) -> Bool {
        switch self {
        case .any, .json: true
        case .integer: value.isWhole(in: record)
        case .real: value.kind == .number
        // Origins write decimals as texts, so that no reader rounds them.
        case .decimal: value.kind == .number || value.kind == .string
        case .text: value.kind == .string
        case .boolean: value.kind == .true || value.kind == .false
        case .datetime(.rfc3339), .date: value.kind == .string
        case .datetime: value.kind == .number
        }
    }
}

extension EnvelopeValue {
    /// Whether the number is whole, however it is written: `1`, `1.0`, `1e3`. JSON has no separate integers (RFC 8259 §6), and
    /// columns show them alike.
    fileprivate func isWhole(in bytes: UnsafeRawBufferPointer) -> Bool {
        if isInteger(in: bytes) { return true }
        guard kind == .number, let text = text(in: bytes) else { return false }
        let parts = text.split(maxSplits: 1) { $0 == "e" || $0 == "E" }
        let mantissa = parts[0].drop { $0 == "-" }.split(separator: ".", maxSplits: 1)
        let digits = mantissa.joined()
        let zeros = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        guard zeros < digits.utf8.count else { return true }
        let decimals = mantissa.count > 1 ? mantissa[1].utf8.count : 0
        guard parts.count > 1 else { return zeros >= decimals }
        // An exponent beyond 64 bits is larger than any number of digits.
        guard let exponent = Int(parts[1]), exponent.magnitude < 1 << 62 else { return !parts[1].hasPrefix("-") }
        return exponent >= decimals - zeros
    }
}
