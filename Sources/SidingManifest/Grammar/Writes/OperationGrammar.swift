// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingJSON

/// The request of one verb of a write. Each verb accepts only the keys that apply to it.
enum OperationGrammar {
    private typealias Operation = WriteDeclaration.Operation

    private static let path = Keyword(
        "path", ValueType<String>.text("a path below the source's base_url such as /issues/{id}"), isRequired: true,
        "Below the source's base_url; {id} stands for the record's id.")
    private static let id = Keyword(
        "id", .path, "The path of the new record's id in the answer. Without it: the place of the key in records.")
    private static let ifMatch = Keyword(
        "if_match", ifMatchValue, default: false,
        "true: the record's ETag is sent as If-Match; if it is not known, the record is fetched first. A JSON path such as $._rev: the member that holds it."
    )
    /// Whether the ETag is sent, and the path of the member that holds it.
    private static let ifMatchValue = ValueType<(isSent: Bool, path: JSONPath?)>(
        "true, false, or a JSON path such as $._rev",
        schema: ["anyOf": [ValueType<Bool>.truth.schema, ValueType<JSONPath>.path.schema]]
    ) { node, reading in
        if node.text?.hasPrefix("$") ?? false {
            return ValueType<JSONPath>.path.read(node, &reading).map { (true, $0) }
        }
        return ValueType<Bool>.truth.read(node, &reading).map { ($0, nil) }
    }

    private static let goneIsDone = Keyword(
        "gone_is_done", .truth, default: true,
        "Whether 404 and 410 mean that the record is deleted, with any method. With false they refuse the write.")

    private static let body = Keyword(
        "body", ValueType<WriteDeclaration.Extent>.choice,
        "whole: the body is the new record; part: a merge patch. Without it: whole for PUT, part for other methods."
    )
    private static let answer = Keyword(
        "answer", ValueType<WriteDeclaration.Extent>.choice,
        "whole: a record in the answer replaces the stored one; part: it has some members only, and is merged. Without it: part for an answer that lacks a member that the record had, or all of a new one, else whole."
    )

    static let create = shape(usually: .post, [id.entry, answer.entry]) { operation, object, reading in
        operation.idPath = object.value(id, &reading)
        operation.answer = object.value(answer, &reading)
    }

    static let update = shape(usually: .patch, [ifMatch.entry, body.entry, answer.entry]) {
        operation, object, reading in
        (operation.sendsIfMatch, operation.etagPath) = object.value(ifMatch, &reading) ?? (false, nil)
        operation.body = object.value(body, &reading)
        operation.answer = object.value(answer, &reading)
    }

    static let delete = shape(usually: .delete, [ifMatch.entry, goneIsDone.entry]) { operation, object, reading in
        (operation.sendsIfMatch, operation.etagPath) = object.value(ifMatch, &reading) ?? (false, nil)
        operation.goneIsDone = object.value(goneIsDone, &reading) ?? true
    }

    /// A request with method and path, and the keys that `terms` reads.
    private static func shape(
        usually usual: HTTPRequest.Method, _ more: [KeywordEntry],
        terms: @escaping @Sendable (inout Operation, ObjectReader, inout Reading) -> Void
    ) -> Shape<Located<WriteDeclaration.Operation>> {
        let method = Keyword(
            "method", ValueType<Method>.choice, default: .string(usual.rawValue), "The method of the request.")
        return Shape([method.entry, path.entry] + more) { object, reading in
            let chosen = object.value(method, &reading).flatMap { HTTPRequest.Method($0.rawValue) } ?? usual
            let path = object.located(path, &reading)
            var operation = Operation(chosen, path?.value ?? "")
            terms(&operation, object, &reading)
            return path.map { Located(value: operation, place: $0.place, subject: $0.subject) }
        }
    }

    private enum Method: String, Sendable, CaseIterable {
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }
}
