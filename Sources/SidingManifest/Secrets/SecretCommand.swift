internal import Siding
internal import SidingCredentials
internal import SidingNotifications

/// A program that prints a secret. Its output is never shown.
struct SecretCommand: Sendable, Hashable {
    let program: Program
    var timeLimit = Duration.seconds(10)

    /// The program's name without its arguments, which may contain secrets.
    var name: String { program.shortName }

    /// Runs the program and returns its standard output.
    func output(_ environment: ConfigEnvironment) async throws(SecretError) -> String {
        let bytes: [UInt8]
        do {
            bytes = try await program.output(
                environment.variables(), upTo: SecretText.limit, within: timeLimit, on: ContinuousClock())
        } catch { throw SecretError(reason: error.reason) }
        return try SecretText.decode(bytes)
    }

    /// Finds the program without running it.
    ///
    /// - Throws: ``SecretError`` if there is no such program, or it may not be run.
    func locate(_ environment: ConfigEnvironment) async throws(SecretError) {
        do { try await program.locate(environment.variables()) } catch { throw SecretError(reason: error.reason) }
    }
}
