internal import Siding
internal import SidingJSON

/// How deletions at the origin are detected: `deletes:`.
enum DeletionGrammar {
    private enum Detection: String, Sendable, CaseIterable {
        case completeListing = "complete_listing"
        case none
    }

    private static let detect = Keyword(
        "detect", ValueType<Detection>.choice, default: "none",
        "complete_listing: what complete listings lack is deleted; none: it stays.")
    private static let most = Keyword(
        "max", share, default: "10%",
        "The largest share of the records that may go at once; 10 may, up to half of them, but with 0% none.")
    private static let verify = Keyword(
        "verify", ValueType<String>.text("a path below the source's base_url such as /posts/{id}"),
        "Where a record is: what complete listings lack is asked for there, and only 404, 410 or the mark delete it.")
    private static let field = Keyword("field", .path, "In each record: the member that marks deleted ones.")
    private static let equals = Keyword(
        "equals", ValueType<String>.text("a text, a number, true or false"),
        "The value of deleted ones; left out, anything but null, false, 0 and an empty string.")

    /// The declaration, with the path whose placeholders are checked once `for_each` is known.
    struct Declaration: Sendable {
        var deletions: Deletions
        var recordPath: Located<String>?
    }

    private static let shape = Shape<Declaration>([
        detect.entry, most.entry, verify.entry, field.entry, equals.entry,
    ]) { object, reading in
        let (detection, most) = (object.value(detect, &reading), object.located(most, &reading))
        let path = object.located(verify, &reading)
        let (field, equals) = (object.value(field, &reading), object.located(equals, &reading))
        let byAbsence = detection == .completeListing
        for (subject, place) in [most.map { ($0.subject, $0.place) }, path.map { ($0.subject, $0.place) }]
            .compactMap(\.self) where !byAbsence
        {
            reading.fault("\(subject) is for what listings lack", at: place, expected: "detect: complete_listing")
        }
        if let equals, field == nil {
            reading.fault(
                "\(equals.subject) does not say of which member", at: equals.place, expected: "field: $.deleted")
        }
        if object.entry(detect.name) == nil, object.entry(Self.field.name) == nil {
            reading.fault(
                "\(reading.subject) does not say how deletions are found", at: object.place,
                expected: "detect: complete_listing, or field: $.deleted_at")
            return nil
        }
        let deletions = Deletions(
            byAbsence: byAbsence, most: most?.value ?? Deletions.usualMost,
            mark: field.map { DeletionMark($0, equals: equals?.value) }, recordPath: path?.value)
        return Declaration(deletions: deletions, recordPath: path)
    }

    static let type = shape.type

    private static let share = ValueType<Double>.scalar(
        "a percentage such as 10% or 2.5%",
        schema: ["type": "string", "pattern": "^[0-9]+(\\.[0-9]+)?%$"]
    ) { text, _ in
        guard text.hasSuffix("%"), let number = Double(text.dropLast()), (0...100).contains(number),
            text.utf8.first.map({ $0 >= 0x30 && $0 <= 0x39 }) == true
        else {
            let isNumber = Double(text).map { (0...100).contains($0) } ?? false
            return .refused(suggestion: isNumber ? text + "%" : nil)
        }
        return .value(number / 100)
    }
}
