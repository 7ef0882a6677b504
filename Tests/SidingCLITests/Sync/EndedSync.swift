// SPDX-License-Identifier: Apache-2.0
import SidingOrigin

extension Sandbox {
    /// Runs `siding sync`, and sends it a signal before a request is answered.
    ///
    /// - Parameter number: of the request, from 1.
    func sync(from service: Service, endedBy signal: Int32, atRequest number: Int) async throws -> Outcome {
        let child = Promise<Child>()
        service.listen { request, _ in
            if request == number { try? await child.value().send(signal) }
            return nil
        }
        return try await siding(["sync"]) { child.fulfil($0) }
    }
}
