/// Asks the user to confirm an action that cannot be undone.
struct Confirmation {
    private let options: GlobalOptions
    private let isGiven: Bool

    /// - Parameter isGiven: whether the command line already confirms it.
    init(_ options: GlobalOptions, isGiven: Bool) {
        (self.options, self.isGiven) = (options, isGiven)
    }

    /// Asks at the terminal.
    ///
    /// - Throws: ``CommandError`` with code 64 if there is no terminal, 1 if the answer is no.
    func ask(_ question: String) throws {
        guard !isGiven else { return }
        guard Terminal.current(noColor: true).isOutput, !options.json else {
            throw CommandError(.usage, "usage", "\(question) needs --yes, as there is no terminal to ask at")
        }
        Output.printMessage("\(question) [y/N]")
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw CommandError(.failure, "declined", "nothing was done")
        }
    }
}
