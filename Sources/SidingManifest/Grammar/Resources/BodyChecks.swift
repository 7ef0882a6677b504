// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import Siding
internal import SidingChain
internal import SidingJSON

/// The declared body of a POST.
struct BodyDeclaration: Sendable {
    var members: Located<[String: QueryValue]>?
    var encoding: Located<SearchBody.Encoding>?
    /// The pagination, which may put parameters into the body.
    var paging: Located<Paging>?

    /// The body; nil if none is declared.
    var body: SearchBody? {
        guard members != nil || encoding != nil else { return nil }
        return SearchBody(members?.value ?? [:], encoding: encoding?.value ?? .json)
    }

    func holds(_ placeholder: String) -> Bool {
        members?.value.values.contains { $0.holds(placeholder) } ?? false
    }

    /// Notes conflicts: a body with GET, or a pagination parameter inside a member that is not a map.
    func check(_ method: HTTPRequest.Method, _ reading: inout Reading) {
        if method != .post {
            if let members { refuse(members.subject, members.place, "needs a body, and a GET has none", &reading) }
            if let encoding { refuse(encoding.subject, encoding.place, "needs a body, and a GET has none", &reading) }
            if let paging, paging.value.usesBody {
                refuse(paging.subject, paging.place, "puts a parameter into the body, and a GET has none", &reading)
            }
        }
        guard let paging, let members else { return }
        for path in paging.value.bodyPaths {
            guard let name = path.blockingMember(of: members.value) else { continue }
            reading.fault(
                "\(paging.subject) says \(path), and \(Subject.quoted(name)) of the body is not a map",
                at: paging.place,
                expected: "a place in a map, or one that the body does not have")
        }
    }

    private func refuse(_ subject: Subject, _ place: Place, _ why: String, _ reading: inout Reading) {
        reading.fault("\(subject) \(why)", at: place, expected: "method: POST")
    }
}

extension JSONPath {
    /// The first member on the path, before its end, that exists and is not a map.
    fileprivate func blockingMember(of members: [String: QueryValue]) -> String? {
        var members = members
        for name in (memberNames ?? []).dropLast() {
            switch members[name] {
            case nil: return nil
            case .object(let inner): members = inner
            case .string, .int, .double, .bool, .array, .null: return name
            }
        }
        return nil
    }
}
