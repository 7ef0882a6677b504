// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingJSON

/// Rules for failures: `errors:`.
enum FailureRuleGrammar {
    private static let when = Keyword(
        "when", condition.type, isRequired: true, "The failure: all given conditions must hold.")
    private static let action = Keyword(
        "do", ValueType<FailureRule.Action>.choice, isRequired: true,
        "queue: kept, not counted as a try; retry: kept, counted; rate_limited: as after a 429; refresh_token: as after a 401; ignore: the listing ends here, incomplete; with on: write, a success counts as a delivery, whatever it says; quarantine: as ignore, and the answer is kept in the quarantine; partial: the records of the page are stored, and the listing is incomplete; empty: the page has no records; park: a write waits for an operator; fail: the run fails; reset_cursor: the listing restarts."
    )
    private static let subject = Keyword(
        "on", ValueType<FailureRule.Subject>.choice,
        "fetch or write; both if left out. Only a rule on write sends a write again that must not be sent twice.")

    private static let shape = Shape<FailureRule>([when.entry, action.entry, subject.entry]) { object, reading in
        rule(object, object.value(subject, &reading), &reading)
    }

    private static func rule(
        _ object: ObjectReader, _ subject: FailureRule.Subject?, _ reading: inout Reading
    ) -> FailureRule? {
        guard let condition = object.value(when, &reading), let action = object.value(action, &reading) else {
            return nil
        }
        do throws(Failure) {
            return try FailureRule(when: condition, do: action, on: subject, place: object.place.description)
        } catch {
            reading.fault("\(reading.subject): \(error.detail ?? error.description)", at: object.place)
            return nil
        }
    }

    /// The whole of `errors:`.
    static let all = ValueType<[FailureRule]>.list(
        of: shape.type, "a list of rules such as { when: { status: 404 }, do: ignore }")

    /// The rules of one resource, which apply only to fetches.
    static let fetches = ValueType<[FailureRule]>.list(
        of: fetchShape.type, "a list of rules such as { when: { status: 404 }, do: ignore }")

    private static let fetchShape = Shape<FailureRule>([when.entry, action.entry, subject.entry]) { object, reading in
        if object.value(subject, &reading) == .write {
            reading.fault(
                "\(reading.subject) is on writes, but a resource only fetches", at: object.place,
                expected: "the rule in the errors of the source")
        }
        return rule(object, .fetch, &reading)
    }

    // MARK: Conditions

    private static let status = Keyword("status", statuses, "The statuses of the answer.")
    private static let header = Keyword("header", trait(at: name).type, "A header field of the answer.")
    private static let body = Keyword(
        "body", trait(at: path).type,
        "A value in the answer's JSON, which may have up to 64 KiB; to a write, and with partial, up to max_body.")
    private static let error = Keyword(
        "error", names, "Failures without a usable answer, by the names that 'siding queue show' prints.")

    private static let condition = Shape<FailureRule.Condition>([
        status.entry, header.entry, body.entry, error.entry,
    ]) { object, reading in
        let (statuses, header) = (object.value(status, &reading), object.value(header, &reading))
        let (body, names) = (object.value(body, &reading), object.value(error, &reading))
        if let names {
            guard statuses == nil, header == nil, body == nil else {
                reading.fault(
                    "\(reading.subject) combines error, for failures without an answer, with conditions on one",
                    at: object.place,
                    expected: "error, or status, header and body")
                return nil
            }
            return .failure(Set(names))
        }
        return .answer(FailureRule.Answer(statuses: Set(statuses ?? []), header: header, body: body))
    }

    private static let equals = Keyword(
        "equals", text, "The value, compared as text.")
    private static let contains = Keyword("contains", text, "A part of the text.")
    private static let text = ValueType<String>.text("a word such as CURSOR_EXPIRED")
    private static let exists = Keyword(
        "exists", .truth, "true: there is a value other than null; false: there is none.")
    private static let name = Keyword("name", .headerName, isRequired: true, "The name of the header field.")
    private static let path = Keyword(
        "path", .values, isRequired: true, "The path of the value. [*] means any element: $.errors[*].code.")

    private static func trait<Place>(at keyword: Keyword<Place>) -> Shape<FailureRule.Trait<Place>> {
        Shape([keyword.entry, equals.entry, contains.entry, exists.entry]) { object, reading in
            let place = object.value(keyword, &reading)
            guard let test = test(object, &reading), let place else { return nil }
            return FailureRule.Trait(at: place, test)
        }
    }

    private static func test(_ object: ObjectReader, _ reading: inout Reading) -> FailureRule.TextTest? {
        let tests = [
            object.value(equals, &reading).map(FailureRule.TextTest.equals),
            object.value(contains, &reading).map(FailureRule.TextTest.contains),
            object.value(exists, &reading).map(FailureRule.TextTest.exists),
        ].compactMap(\.self)
        if tests.count == 1 { return tests[0] }
        // An invalid value was noted already.
        let given = ["equals", "contains", "exists"].count { object.entry($0) != nil }
        guard given == tests.count else { return nil }
        reading.fault(
            "\(reading.subject) needs exactly one test", at: object.place,
            expected: "one of equals, contains and exists")
        return nil
    }

    private static let aStatus = ValueType<Int>.integer(200...599)
    private static let statuses = ValueType<[Int]>.oneOrMore(aStatus, "a status such as 404, or a list [404, 410]")
    private static let names = ValueType<[FailureRule.FailureName]>.oneOrMore(
        .choice, "a name such as timeout, or a list of names")
}
