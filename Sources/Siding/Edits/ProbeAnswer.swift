internal import SidingChain
internal import SidingJSON

/// What an origin answered to a delivery probe.
enum ProbeAnswer: Hashable {
    /// The write arrived. The record, if exactly one was found.
    case there(JSONDocument?)
    case notThere
    /// The answer is unclear, with a message.
    case unclear(String)

    /// Looks for the write in an answer.
    ///
    /// - Parameters:
    ///   - document: the body of a 2xx answer.
    ///   - value: the value that the write carried.
    init(_ document: JSONDocument, to probe: WriteProbe, asking value: String) {
        guard let found = Self.records(in: document, probe, value) else {
            self = .unclear("its answer has no list of records where one is looked for")
            return
        }
        guard !found.isEmpty else {
            self =
                probe.records == nil && Self.names(value, document)
                ? .unclear("its answer names the write, though no record of it was found where one is looked for")
                : .notThere
            return
        }
        guard let mark = probe.mark else {
            self = found.count == 1 ? .there(found[0]) : .unclear("it found \(found.count) records where one is meant")
            return
        }
        // An origin that does not know the parameter answers with an unfiltered list.
        let ours = found.filter { $0.value(at: mark)?.string == value }
        self =
            ours.isEmpty
            ? .unclear("what it found does not carry \(mark), so it did not look for this write")
            : .there(ours.count == 1 ? ours[0] : nil)
    }

    private static func records(
        in document: JSONDocument, _ probe: WriteProbe, _ value: String
    ) -> [JSONDocument]? {
        if let path = probe.records { return document.value(at: path.withoutEach).flatMap(list) }
        if document.kind != .object { return document.elements }
        if let mark = probe.mark, document.value(at: mark)?.string == value { return [document] }
        // If the URL's path names the write, the document is its record; an empty array inside of it is not an empty list.
        if probe.isDirect { return list(document) }
        // With several objects or arrays it is unclear which of them is the list.
        let parts = (document.members ?? []).map(\.value).filter { $0.kind == .array || $0.kind == .object }
        return parts.count == 1 ? parts[0].elements : nil
    }

    /// Whether `value` occurs anywhere in the answer.
    private static func names(_ value: String, _ document: JSONDocument) -> Bool {
        Array(document.bytes).firstRange(of: Array(value.utf8)) != nil
    }

    /// Many origins write an empty list as null.
    private static func list(_ document: JSONDocument) -> [JSONDocument]? {
        switch document.kind {
        case .array: document.elements
        case .object: document == .emptyObject ? nil : [document]
        case .null: []
        default: nil
        }
    }
}
