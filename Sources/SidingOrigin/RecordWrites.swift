// SPDX-License-Identifier: Apache-2.0
internal import HTTPTypes
internal import SidingSynchronization

/// Handles writes to a dataset: POST creates, PUT and PATCH replace, DELETE removes.
///
/// A POST with a repeated `Idempotency-Key` gets the first response again and changes nothing.
public final class RecordWrites: OriginRoute {
    private struct State {
        var answers: [String: OriginResponse] = [:]
        var next: Int
    }

    private let path: String
    private let dataset: Dataset
    private let state: Mutex<State>

    /// - Parameter firstID: the `id` of the first created record; later ones count up from it.
    public init(_ path: String, to dataset: Dataset, firstID: Int) {
        self.path = path
        self.dataset = dataset
        self.state = Mutex(State(next: firstID))
    }

    /// Carries out a POST to the path, or a PUT, PATCH or DELETE below it; nil for all other requests.
    public func answer(_ request: OriginRequest) async -> OriginResponse? {
        switch request.method {
        case "POST" where request.path == path: create(request)
        case "PUT", "PATCH", "DELETE": request.path.hasPrefix(path + "/") ? change(request) : nil
        default: nil
        }
    }

    private func create(_ request: OriginRequest) -> OriginResponse {
        let key = HTTPField.Name("Idempotency-Key").flatMap { request.headerFields[$0] }
        return state.withLock { state in
            if let key, let answer = state.answers[key] { return answer }
            guard let json = Self.object(request.body, id: state.next) else {
                return .json(#"{"message":"a JSON object was expected"}"#, status: .badRequest)
            }
            dataset.put(Dataset.Record(key: String(state.next), json: json))
            let answer = OriginResponse.json(
                json, status: .created, headerFields: [.location: "\(path)/\(state.next)"])
            state.next += 1
            if let key { state.answers[key] = answer }
            return answer
        }
    }

    private func change(_ request: OriginRequest) -> OriginResponse {
        let key = String(request.path.dropFirst(path.count + 1))
        guard let record = dataset[key] else { return .notFound }
        if request.method == "DELETE" {
            dataset.remove(key)
            return OriginResponse(status: .noContent)
        }
        let json = String(decoding: request.body, as: UTF8.self)
        guard json.hasPrefix("{"), json.hasSuffix("}") else {
            return .json(#"{"message":"a JSON object was expected"}"#, status: .badRequest)
        }
        dataset.put(Dataset.Record(key: key, json: json, stamp: record.stamp))
        return .json(json)
    }

    /// The object in `body` with an `id` inserted before its members.
    private static func object(_ body: [UInt8], id: Int) -> String? {
        let json = String(decoding: body, as: UTF8.self)
        guard json.hasPrefix("{"), json.hasSuffix("}") else { return nil }
        let members = json.dropFirst()
        return members.first { $0 != " " } == "}" ? "{\"id\":\(id)}" : "{\"id\":\(id),\(members)"
    }
}
