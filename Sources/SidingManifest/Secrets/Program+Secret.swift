// SPDX-License-Identifier: Apache-2.0
internal import SidingCredentials
internal import SidingNotifications

extension Program {
    /// Runs a program that prints a secret, and returns the secret. What it prints is never shown.
    func secret(
        _ environment: ConfigEnvironment, within limit: Duration = .seconds(10)
    ) async throws(SecretError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try await output(
                environment.variables(), upTo: SecretText.limit, within: limit, on: ContinuousClock())
        } catch { throw SecretError(reason: error.reason) }
        return try SecretText.decode(bytes)
    }
}
