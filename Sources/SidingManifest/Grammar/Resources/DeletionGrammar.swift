// SPDX-License-Identifier: Apache-2.0
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
        "complete_listing: records missing from complete listings are deleted; none: they are kept.")
    private static let most = Keyword(
        "max", share, default: "10%",
        "The maximum percentage of records deleted at once. Up to 10, never more than half, always pass; with 0% none.")
    private static let verify = Keyword(
        "verify", ValueType<String>.text("a path below the source's base_url such as /posts/{id}"),
        "The path of one record, with {id} for its key and the names of bind. Missing records are verified there by a GET: only 404, 410 or the mark delete them."
    )
    private static let field = Keyword("field", .path, "The member that marks deleted records.")
    private static let equals = Keyword(
        "equals", ValueType<String>.text("a text, a number, true or false"),
        "The value of the mark, compared as text. Without it: anything but null, false, 0, what is empty, and texts that say so: no, 0, 0000-00-00."
    )

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
            reading.fault("\(subject) is only for missing records", at: place, expected: "detect: complete_listing")
        }
        if let equals, field == nil {
            reading.fault(
                "\(equals.subject) has no 'field' to compare", at: equals.place, expected: "field: $.deleted")
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
