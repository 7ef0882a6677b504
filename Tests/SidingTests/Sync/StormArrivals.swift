// SPDX-License-Identifier: Apache-2.0
import HTTPTypes
import SidingChain
import SidingJSON
import SidingSynchronization
import SidingTesting

@testable import Siding

/// What arrived of own writes at a ``StormOrigin``. Each has a number of its own, which it sets a member to.
struct StormArrivals: Sendable {
    /// Whether the origin acts once per key.
    var honoursKeys = false
    /// How often each number had an effect.
    private(set) var effects: [Int: Int] = [:]
    /// The record that a create made, by its numbers.
    private(set) var created: [Int: Int] = [:]
    /// The answers by key.
    var answers: [String: ScriptedAnswer] = [:]

    mutating func forget(_ members: [String: Int]) {
        for number in members.values { effects[number] = nil }
    }

    mutating func note(_ members: [String: Int], created id: Int? = nil) {
        for number in members.values {
            effects[number, default: 0] += 1
            if let id { created[number] = id }
        }
    }
}

extension StormOrigin {
    /// The answer to a write, which is perhaps lost, or perhaps never arrived.
    func answer(to asked: ScriptedTransport.Request, _ state: inout State) -> ScriptedAnswer {
        while Int.random(in: 0..<100, using: &state.generator) < state.unrest { change(&state) }
        guard Int.random(in: 0..<100, using: &state.generator) < 2 * state.faults else { return act(asked, &state) }
        let key = HTTPField.Name("Idempotency-Key").flatMap { asked.request.headerFields[$0] } ?? ""
        switch Int.random(in: 0..<8, using: &state.generator) {
        case 0: return .failure(Failure(.cantConnectToHost(.refused), phase: .notSent))
        case 1: return .status(.serviceUnavailable)
        // An origin that has the write of a key does not refuse it.
        case 2 where state.arrivals.answers[key] == nil: return .status(.conflict)
        case 3 where state.arrivals.answers[key] == nil: return .status(.unprocessableContent)
        case 4: return .failure(Failure(.timeout(.response), phase: .maybeSent))
        case 5: return .status(.internalServerError)
        case 6:
            _ = act(asked, &state)
            return .status(.badGateway)
        default:
            _ = act(asked, &state)
            return .failure(Failure(.connectionLost, phase: .maybeSent))
        }
    }

    /// Does what the write asks for.
    private func act(_ asked: ScriptedTransport.Request, _ state: inout State) -> ScriptedAnswer {
        let key = HTTPField.Name("Idempotency-Key").flatMap { asked.request.headerFields[$0] }
        if let key, state.arrivals.honoursKeys, let answer = state.arrivals.answers[key] { return answer }
        let answer = effect(asked, &state)
        if let key { state.arrivals.answers[key] = answer }
        return answer
    }

    private func effect(_ asked: ScriptedTransport.Request, _ state: inout State) -> ScriptedAnswer {
        let body = String(decoding: asked.body, as: UTF8.self)
        var members: [String: Int] = [:]
        for match in body.matches(of: /"([ab])":(\d+)/) { members[String(match.output.1)] = Int(match.output.2) }
        let mark = body.firstMatch(of: /"ref":"(\w+)"/).map { String($0.output.1) }
        if asked.request.method == .post {
            // What no probe finds may come again: its record was deleted since, or another write has replaced the mark.
            if mark != nil, !state.records.contains(where: { $0.mark == mark }) { state.arrivals.forget(members) }
            add(&state)
            state.records[state.records.count - 1].members = members
            state.records[state.records.count - 1].mark = mark
            state.arrivals.note(members, created: state.lastID)
            return .text(state.records[state.records.count - 1].json, status: .created)
        }
        guard let id = asked.request.path?.split(separator: "/").last.flatMap({ Int($0) }),
            let index = state.records.firstIndex(where: { $0.id == id })
        else { return .status(.notFound) }
        if let tag = asked.request.headerFields[.ifMatch], tag != "\"\(state.records[index].version)\"" {
            return .status(.preconditionFailed)
        }
        if asked.request.method == .delete {
            state.records.remove(at: index)
            return .status(.noContent)
        }
        state.earlier[id] = state.records[index]
        state.records[index].members.merge(members) { $1 }
        state.records[index].mark = mark ?? state.records[index].mark
        state.records[index].version += 1
        state.records[index].at = now(state)
        state.arrivals.note(members)
        if state.troubles.contains(.accepted) { return .status(.accepted) }
        return Bool.random(using: &state.generator) ? .status(.noContent) : .text(state.records[index].json)
    }
}
