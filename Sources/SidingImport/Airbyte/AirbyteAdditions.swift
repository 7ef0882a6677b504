/// What the AddFields of a stream put into its records. Siding keeps records as the origin gives them, so that what points
/// at an added member has to point at where it comes from.
struct AirbyteAdditions: Sendable {
    private let fields: [Field]

    private struct Field: Sendable {
        let path: [String]
        /// What it is a plain copy of; nil for anything else.
        let source: [String]?
    }

    /// Where a member is in the records of the origin.
    enum Place: Sendable, Hashable {
        /// Where it is said to be: AddFields puts nothing there.
        case own
        /// Where AddFields copies it from.
        case copied(String)
        /// Nowhere: AddFields works it out.
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

    /// Where the member at `path` is, as the last of all steps leaves it.
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

    /// Whether a member is copied from `path`, or from inside of it.
    func copies(from path: [String]) -> Bool {
        fields.contains { $0.source?.starts(with: path) ?? false }
    }
}

extension AirbyteAdditions {
    /// Why something that points at the member at `path` does not find it.
    static func reason(_ path: [String], of stream: String? = nil) -> String {
        let owner = stream.map { " of '\($0.prefix(60))'" } ?? ""
        let member = path.joined(separator: ".").prefix(60)
        return "'\(member)' is made by AddFields\(owner), and the records of Siding do not have it"
    }
}
