import ArgumentParser
import SidingInspection
import Siding
import SidingChain

/// Prints an error for the user or a script, and chooses the exit code.
struct ErrorReport {
    private let error: any Error
    private let isJSON: Bool

    init(_ error: any Error, isJSON: Bool) {
        self.error = error
        self.isJSON = isJSON
    }

    /// Prints the error: text on standard error, or one JSON object on standard output.
    ///
    /// - Returns: the exit code.
    func print() -> Int32 {
        if let status = error as? ExitStatus { return status.rawValue }
        if let usage { return usage }
        let problem = CommandError(error)
        if isJSON {
            Output.line(ErrorObject(problem).json)
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
        let text = SidingCommand.fullMessage(for: error)
        if code == 0 {
            Output.line(text)
            Output.flush()
        } else if isJSON {
            let message = SidingCommand.message(for: error)
            Output.line(ErrorObject(CommandError(.usage, "usage", message)).json)
            Output.flush()
        } else {
            Output.printMessage(text)
        }
        return code
    }
}

/// An error as JSON: `{"error": {"code", "name", "message", "hint", "place"}}`.
struct ErrorObject {
    let problem: CommandError

    init(_ problem: CommandError) {
        self.problem = problem
    }

    var json: String {
        let error: JSONObject = [
            "code": Int(problem.status.rawValue), "name": problem.name, "message": problem.message,
            "hint": problem.hint, "place": problem.place,
        ]
        return (["error": error] as JSONObject).text
    }
}
