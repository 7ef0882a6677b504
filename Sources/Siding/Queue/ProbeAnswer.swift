internal import SidingChain
internal import SidingJSON

/// What an origin answered to the question whether it has a write.
enum ProbeAnswer: Hashable {
    /// It has it. The record, where exactly one was found.
    case there(JSONDocument?)
    case notThere
    /// It does not tell, in words.
    case unclear(String)

    /// - Parameters:
    ///   - document: the answer's body, of a 2xx.
    ///   - value: what was asked for, as the write carried it.
    init(_ document: JSONDocument, to probe: WriteProbe, asking value: String) {
        guard let found = Self.records(in: document, probe, value) else {
            self = .unclear("its answer has no list of records where one is looked for")
            return
        }
        guard !found.isEmpty else {
            self = .notThere
            return
        }
        guard let mark = probe.mark else {
            self = found.count == 1 ? .there(found[0]) : .unclear("it found \(found.count) records where one is meant")
            return
        }
        // An origin that does not know the parameter answers with whatever it has.
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
        // What was named in the URL's path is what is answered; an empty array in it is its own affair.
        if probe.isDirect { return list(document) }
        let arrays = (document.members ?? []).compactMap { $0.value.elements }
        return arrays.count == 1 ? arrays[0] : nil
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
