// SPDX-License-Identifier: Apache-2.0
/// The members that a stream's AddFields put into its records. Siding stores records as the origin sends them, so a reference to
/// an added member must become one to its source.
struct AirbyteAdditions: Sendable {
    private let fields: [Field]

    private struct Field: Sendable {
        let path: [String]
        /// The member that it copies; nil for any other expression.
        let source: [String]?
    }

    /// Where a member is in the origin's records.
    enum Place: Sendable, Hashable {
        /// At the path itself: AddFields does not add it.
        case own
        /// At another path, from which AddFields copies it.
        case copied(String)
        /// Nowhere: AddFields computes it.
        case made
    }

    init(_ stream: AirbyteComponent) {
        fields = stream.components("transformations").filter { $0.type == "AddFields" }.flatMap { step in
            step.components("fields").compactMap { field in
                let path = field["path"]?.texts ?? []
                guard !path.isEmpty else { return nil }
                let access = step["condition"] == nil ? field["value"]?.text?.inBraces.flatMap(AirbyteAccess.init) : nil
                let isCopy = access.map { $0.root == "record" && $0.fallback == nil && !$0.keys.isEmpty } ?? false
                return Field(path: path, source: isCopy ? access?.keys : nil)
            }
        }
    }

    /// Finds the member at `path` in the origin's records, through all AddFields steps.
    func place(of path: [String]) -> Place {
        guard var index = last(at: path, before: fields.count) else { return .own }
        var path = path
        while true {
            guard let source = fields[index].source else { return .made }
            path = source + path.dropFirst(fields[index].path.count)
            guard let earlier = last(at: path, before: index) else { return .copied(AirbyteAccess.path(of: path)) }
            index = earlier
        }
    }

    private func last(at path: [String], before end: Int) -> Int? {
        fields[..<end].lastIndex { path.starts(with: $0.path) }
    }

    /// Whether AddFields copies a member from `path` or from inside it.
    func copies(from path: [String]) -> Bool {
        fields.contains { $0.source?.starts(with: path) ?? false }
    }
}

extension AirbyteAdditions {
    /// The message for a reference to a member that AddFields computes.
    static func reason(_ path: [String], of stream: String? = nil) -> String {
        let owner = stream.map { " of '\($0.prefix(60))'" } ?? ""
        let member = path.joined(separator: ".").prefix(60)
        return "'\(member)' is added by AddFields\(owner), so the records in Siding do not have it"
    }
}
