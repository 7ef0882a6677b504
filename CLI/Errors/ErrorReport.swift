// SPDX-License-Identifier: Apache-2.0
import ArgumentParser
import SidingInspection
import Siding
import SidingChain

/// Prints an error for the user or a script, and chooses the exit code.
struct ErrorReport {
    let error: any Error
    let isJSON: Bool

    /// Prints the error: text on standard error, or one JSON object on standard output.
    ///
    /// - Returns: the exit code.
    func print() -> Int32 {
        if let status = error as? ExitStatus { return status.rawValue }
        if let usage { return usage }
        let problem = CommandError(error)
        if isJSON {
            Output.line(problem.object)
            Output.flush()
        } else {
            for line in problem.message.split(separator: "\n") { Output.printMessage("siding: \(line)") }
            if let hint = problem.hint { Output.printMessage("        \(hint)") }
        }
        return problem.status.rawValue
    }

    /// The exit code for ArgumentParser's own messages: help and version (0), or bad usage (64); nil for other errors.
    private var usage: Int32? {
        let isOurs = error is CommandError || error is StoreError || error is Failure || error is CancellationError
        guard !isOurs else { return nil }
        let code = SidingCommand.exitCode(for: error).rawValue
        guard code == 0 || code == ExitStatus.usage.rawValue else { return nil }
        var text = SidingCommand.fullMessage(for: error)
        let hint = MisspelledCommand.suggestion(for: ProgramArguments.words ?? [])
            .map { "did you mean '\($0)'?" }
        if code == 0 {
            Output.line(text)
            Output.flush()
        } else if isJSON {
            Output.line(CommandError.usage(SidingCommand.message(for: error), hint: hint).object)
            Output.flush()
        } else {
            if let hint, let end = text.firstIndex(of: "\n") { text.insert(contentsOf: "\n       \(hint)", at: end) }
            Output.printMessage(text)
        }
        return code
    }
}

extension CommandError {
    /// `{"error": {"code", "name", "message", "hint", "place"}}`.
    fileprivate var object: JSONObject {
        let error: JSONObject = [
            "code": Int(status.rawValue), "name": name, "message": message, "hint": hint, "place": place,
        ]
        return ["error": error]
    }
}
